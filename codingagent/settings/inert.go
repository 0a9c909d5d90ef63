package settings

// inert says of settings that are shared with other programs why they change nothing
// in this one.
func inert() map[string]string {
	const scripts = "pi has no tool that runs scripts yet; tools with this exposure are found by tool_search and called by the model"
	const silent = "pi sends nothing about its use to anybody"
	return map[string]string{
		"codemode.mode":              scripts,
		"codemode.inlineBudget":      scripts,
		"enableAnalytics":            silent,
		"enableInstallTelemetry":     silent + ", and does not tell vendors its name beyond the user agent",
		"trackingId":                 silent,
		"extensionChangelogVersions": "pi shows no changes of packages",
	}
}

// Inert says why a setting changes nothing in this program; "" when it does.
func Inert(key string) string { return inert()[key] }
