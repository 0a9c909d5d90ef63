// Package bedrockconversestream speaks the Converse protocol of Amazon Bedrock.
//
// A request is authorised by a Bedrock API key (AWS_BEARER_TOKEN_BEDROCK), or it is
// signed with access keys. The keys come from [Config].Credentials, which a program
// sets to look at profiles, containers and the like, else from AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.
//
// The region is that of an ARN that is used as the model's id, else that of
// [Options], AWS_REGION, AWS_DEFAULT_REGION, or of the model's address. An address
// that is not one of the vendor's own is used as it is.
package bedrockconversestream
