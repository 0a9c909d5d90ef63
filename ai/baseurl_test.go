package ai

import "testing"

func TestFillBaseURL(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"ACCOUNT_ID": "a/b", "GATEWAY2": "g"}[name]
	}
	for base, want := range map[string]string{
		"https://x/v1":                         "https://x/v1",
		"https://x/{ACCOUNT_ID}/{GATEWAY2}/v1": "https://x/a%2Fb/g/v1",
		"https://{location}-y":                 "https://{location}-y",
		"https://x/{":                          "https://x/{",
		"https://x/{}":                         "https://x/{}",
	} {
		if got, err := fillBaseURL(base, env); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", base, got, err, want)
		}
	}
	if _, err := fillBaseURL("https://x/{NONE}", env); err == nil {
		t.Error("a variable that is not set is no error")
	}
}
