package compatible

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/api/systemone"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// vendor makes a provider from the catalog. Its models of protocols that are not
// given are listed and say so when they are called.
func vendor(facts *catalog.Provider, apis ...ai.API) ai.Provider {
	return withKey(facts, auth.EnvKey{Vars: facts.Env()}, apis...)
}

func withKey(facts *catalog.Provider, key auth.APIKeyMethod, apis ...ai.API) ai.Provider {
	return withAuth(facts, auth.Methods{APIKey: key}, apis...)
}

func withLogin(facts *catalog.Provider, method auth.OAuthMethod, apis ...ai.API) ai.Provider {
	return withAuth(facts, auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}, OAuth: method}, apis...)
}

func withAuth(facts *catalog.Provider, methods auth.Methods, apis ...ai.API) ai.Provider {
	return ai.NewProvider(config(facts, methods, apis...))
}

func config(facts *catalog.Provider, methods auth.Methods, apis ...ai.API) ai.ProviderConfig {
	return ai.ProviderConfig{ID: facts.ID(), Name: facts.Name(), Auth: methods, LoadModels: facts.Models, APIs: apis}
}

// judging makes a provider that has classifiers too.
func judging(facts *catalog.Provider, key auth.APIKeyMethod, judge ai.ClassifierAPI, apis ...ai.API) ai.Provider {
	c := config(facts, auth.Methods{APIKey: key}, apis...)
	c.ClassifierAPIs = []ai.ClassifierAPI{judge}
	return ai.NewProvider(c)
}

func completions() ai.API { return openaicompletions.New() }
func messages() ai.API    { return anthropicmessages.New() }
func responses() ai.API   { return openairesponses.New() }
func gemini() ai.API      { return googlegenerativeai.New() }

// AntLing takes its key from ANT_LING_API_KEY.
func AntLing() ai.Provider { return vendor(catalog.AntLing(), completions()) }

// Baseten takes its key from BASETEN_API_KEY.
func Baseten() ai.Provider { return vendor(catalog.Baseten(), completions()) }

// Cerebras takes its key from CEREBRAS_API_KEY.
func Cerebras() ai.Provider { return vendor(catalog.Cerebras(), completions()) }

// CloudflareAIGateway takes its key from CLOUDFLARE_API_KEY and needs
// CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_GATEWAY_ID. The keys of the vendors behind
// it are the gateway's business.
func CloudflareAIGateway() ai.Provider {
	facts := catalog.CloudflareAIGateway()
	key := gatewayKey{auth.EnvKey{Vars: facts.Env(), Needs: []string{"CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"}}}
	return withKey(facts, key, responses(), messages(), completions())
}

// CloudflareWorkersAI takes its key from CLOUDFLARE_API_KEY and needs
// CLOUDFLARE_ACCOUNT_ID.
func CloudflareWorkersAI() ai.Provider {
	facts := catalog.CloudflareWorkersAI()
	return judging(facts, auth.EnvKey{Vars: facts.Env(), Needs: []string{"CLOUDFLARE_ACCOUNT_ID"}}, systemone.Cloudflare(), completions())
}

// DeepSeek takes its key from DEEPSEEK_API_KEY.
func DeepSeek() ai.Provider { return vendor(catalog.DeepSeek(), completions()) }

// Fireworks takes its key from FIREWORKS_API_KEY.
func Fireworks() ai.Provider { return vendor(catalog.Fireworks(), messages(), completions()) }

// Groq takes its key from GROQ_API_KEY.
func Groq() ai.Provider { return vendor(catalog.Groq(), completions()) }

// HuggingFace takes its key from HF_TOKEN.
func HuggingFace() ai.Provider { return vendor(catalog.HuggingFace(), completions()) }

// KimiCoding takes its key from KIMI_API_KEY, or a login.
func KimiCoding() ai.Provider {
	return withLogin(catalog.KimiCoding(), login.KimiCoding(), completions())
}

// Meta takes its key from META_API_KEY, or a login.
func Meta() ai.Provider { return withLogin(catalog.Meta(), login.Meta(), responses()) }

// MiniMax takes its key from MINIMAX_API_KEY.
func MiniMax() ai.Provider { return vendor(catalog.MiniMax(), messages()) }

// MiniMaxCN takes its key from MINIMAX_CN_API_KEY.
func MiniMaxCN() ai.Provider { return vendor(catalog.MiniMaxCN(), messages()) }

// MoonshotAI takes its key from MOONSHOT_API_KEY.
func MoonshotAI() ai.Provider { return vendor(catalog.MoonshotAI(), completions()) }

// MoonshotAICN takes its key from MOONSHOT_API_KEY.
func MoonshotAICN() ai.Provider { return vendor(catalog.MoonshotAICN(), completions()) }

// NVIDIA takes its key from NVIDIA_API_KEY.
func NVIDIA() ai.Provider { return vendor(catalog.NVIDIA(), completions()) }

// OpenCode takes its key from OPENCODE_API_KEY.
func OpenCode() ai.Provider {
	facts := catalog.OpenCode()
	return judging(facts, auth.EnvKey{Vars: facts.Env()}, systemone.New(), responses(), messages(), gemini(), completions())
}

// OpenCodeGo takes its key from OPENCODE_API_KEY.
func OpenCodeGo() ai.Provider {
	return vendor(catalog.OpenCodeGo(), responses(), messages(), gemini(), completions())
}

// OpenRouter takes its key from OPENROUTER_API_KEY, or a login. Its list of models
// can be narrowed to those that the account allows (see [ai.Models.Refresh]).
func OpenRouter() ai.Provider {
	facts := catalog.OpenRouter()
	c := config(facts, auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}, OAuth: login.OpenRouter()}, completions(), messages())
	c.Source = openRouterModels()
	c.ImageAPIs, c.ClassifierAPIs = []ai.ImageAPI{openrouterimages.New()}, []ai.ClassifierAPI{systemone.New()}
	return ai.NewProvider(c)
}

// QwenTokenPlan takes its key from QWEN_TOKEN_PLAN_TEAM_API_KEY or
// QWEN_TOKEN_PLAN_API_KEY.
func QwenTokenPlan() ai.Provider { return vendor(catalog.QwenTokenPlan(), completions()) }

// QwenTokenPlanCN takes its key from QWEN_TOKEN_PLAN_TEAM_CN_API_KEY or
// QWEN_TOKEN_PLAN_CN_API_KEY.
func QwenTokenPlanCN() ai.Provider { return vendor(catalog.QwenTokenPlanCN(), completions()) }

// QwenTokenPlanIndividual takes its key from QWEN_TOKEN_PLAN_INDIVIDUAL_API_KEY or
// QWEN_TOKEN_PLAN_API_KEY.
func QwenTokenPlanIndividual() ai.Provider {
	return vendor(catalog.QwenTokenPlanIndividual(), completions())
}

// QwenTokenPlanIndividualCN takes its key from
// QWEN_TOKEN_PLAN_INDIVIDUAL_CN_API_KEY or QWEN_TOKEN_PLAN_CN_API_KEY.
func QwenTokenPlanIndividualCN() ai.Provider {
	return vendor(catalog.QwenTokenPlanIndividualCN(), completions())
}

// Together takes its key from TOGETHER_API_KEY.
func Together() ai.Provider { return vendor(catalog.Together(), completions()) }

// TypeSafe has classifiers only. It takes its key from TYPESAFE_API_KEY.
func TypeSafe() ai.Provider {
	facts := catalog.TypeSafe()
	return judging(facts, auth.EnvKey{Vars: facts.Env()}, systemone.New())
}

// VercelAIGateway takes its key from AI_GATEWAY_API_KEY.
func VercelAIGateway() ai.Provider {
	facts := catalog.VercelAIGateway()
	return judging(facts, auth.EnvKey{Vars: facts.Env()}, systemone.New(), messages())
}

// XAI takes its key from XAI_API_KEY, or a login.
func XAI() ai.Provider { return withLogin(catalog.XAI(), login.XAI(), responses()) }

// Xiaomi takes its key from XIAOMI_API_KEY.
func Xiaomi() ai.Provider { return vendor(catalog.Xiaomi(), completions()) }

// XiaomiTokenPlanAMS takes its key from XIAOMI_TOKEN_PLAN_AMS_API_KEY.
func XiaomiTokenPlanAMS() ai.Provider { return vendor(catalog.XiaomiTokenPlanAMS(), completions()) }

// XiaomiTokenPlanCN takes its key from XIAOMI_TOKEN_PLAN_CN_API_KEY.
func XiaomiTokenPlanCN() ai.Provider { return vendor(catalog.XiaomiTokenPlanCN(), completions()) }

// XiaomiTokenPlanSGP takes its key from XIAOMI_TOKEN_PLAN_SGP_API_KEY.
func XiaomiTokenPlanSGP() ai.Provider { return vendor(catalog.XiaomiTokenPlanSGP(), completions()) }

// ZAI takes its key from ZAI_API_KEY.
func ZAI() ai.Provider { return vendor(catalog.ZAI(), completions()) }

// ZAICodingCN takes its key from ZAI_CODING_CN_API_KEY.
func ZAICodingCN() ai.Provider { return vendor(catalog.ZAICodingCN(), completions()) }

// All lists the vendors of this package, by id.
func All() []ai.Provider {
	return []ai.Provider{
		AntLing(), Baseten(), Cerebras(), CloudflareAIGateway(), CloudflareWorkersAI(), DeepSeek(), Fireworks(), Groq(), HuggingFace(),
		KimiCoding(), Meta(), MiniMax(), MiniMaxCN(), MoonshotAI(), MoonshotAICN(), NVIDIA(), OpenCode(), OpenCodeGo(), OpenRouter(),
		QwenTokenPlan(), QwenTokenPlanCN(), QwenTokenPlanIndividual(), QwenTokenPlanIndividualCN(), Together(), TypeSafe(), VercelAIGateway(), XAI(),
		Xiaomi(), XiaomiTokenPlanAMS(), XiaomiTokenPlanCN(), XiaomiTokenPlanSGP(), ZAI(), ZAICodingCN(),
	}
}
