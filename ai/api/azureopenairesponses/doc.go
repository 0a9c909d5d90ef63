// Package azureopenairesponses speaks the Responses protocol as Azure OpenAI
// offers it: models are reached under the names of deployments, at the address of
// the user's own resource.
//
// The address is the first of: [Options].BaseURL, AZURE_OPENAI_BASE_URL, the one
// of the resource AZURE_OPENAI_RESOURCE_NAME, the model's base URL. The deployment
// is [Options].Deployment, else what AZURE_OPENAI_DEPLOYMENT_NAME_MAP says
// ("model=deployment,…"), else the model's id. The version is [Options].APIVersion,
// else AZURE_OPENAI_API_VERSION, else v1.
package azureopenairesponses
