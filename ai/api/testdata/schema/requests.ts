// The types that are reduced to schemas; reduce.mjs names them.
import type { Anthropic } from "@anthropic-ai/sdk";
import type { ConverseStreamRequest } from "@aws-sdk/client-bedrock-runtime";
import type { Message, PiMessagesOptions } from "@earendil-works/pi-ai";
import type { ChatCompletionStreamRequest$Outbound } from "@mistralai/mistralai/models/components/chatcompletionstreamrequest.js";
import type { OpenAI } from "openai";

export type ChatCompletions = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming;
export type Responses = OpenAI.Responses.ResponseCreateParamsStreaming;
export type Messages = Anthropic.Beta.Messages.MessageCreateParamsStreaming;
export type Mistral = ChatCompletionStreamRequest$Outbound;
export type Converse = ConverseStreamRequest;
interface PiMessagesBodyOptions extends Pick<PiMessagesOptions, "temperature" | "maxTokens" | "reasoning" | "cacheRetention" | "sessionId" | "toolChoice"> {}
export type PiMessages = {
  model: string;
  context: { messages: Message[] };
  options: PiMessagesBodyOptions;
};
