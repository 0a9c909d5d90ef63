package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// effects names the tests that fail when settings lose their effect: a directory
// and a function, and the settings.
func effects() map[string]string {
	return map[string]string{
		"../../ai/auth TestInstallationID":                                     "deviceId",
		".. TestBlockImages":                                                   "images.blockImages",
		".. TestBranchSummaryReserve":                                          "branchSummary.reserveTokens",
		".. TestCompactionReserve":                                             "compaction.enabled compaction.reserveTokens compaction.keepRecentTokens compaction.modelOverrides",
		".. TestDefaultLevelOfAFile":                                           "defaultThinkingLevel",
		".. TestLevelOfAnotherModel":                                           "modelThinkingLevels",
		".. TestQueueModesOfSettings":                                          "steeringMode followUpMode",
		".. TestReload":                                                        "defaultTools",
		".. TestReloadChangesRequests":                                         "httpIdleTimeoutMs retry.provider.timeoutMs retry.provider.maxRetries retry.provider.maxRetryDelayMs transport websocketConnectTimeoutMs thinkingBudgets",
		".. TestReloadChangesRetries":                                          "retry.maxRetries retry.baseDelayMs retry.maxAgentDelayMs",
		".. TestShellPathInHome":                                               "shellPath",
		".. TestWhatEndsTheKeeping":                                            "cacheWarming",
		"../cmd/pi TestAutoResize":                                             "images.autoResize",
		"../cmd/pi TestErrorAfter200KeepsWhatCame":                             "retry.enabled",
		"../cmd/pi TestPromptShow":                                             "defaultProvider defaultModel",
		"../cmd/pi TestProxyOfSettings":                                        "httpProxy",
		"../cmd/pi TestSelfUpdateCommand":                                      "selfUpdateCommand",
		"../cmd/pi TestTrust":                                                  "defaultProjectTrust sessionDir shellCommandPrefix",
		"../internal/mode/interactive TestAnEditorOfOnesOwn":                   "externalEditor",
		"../internal/mode/interactive TestBegunInRegularModeEndedInFullScreen": "fullscreenExitOutput",
		"../internal/mode/interactive TestBranchesAreLeftAtOnce":               "branchSummary.skipPrompt",
		"../internal/mode/interactive TestCacheMissNotices":                    "showCacheMissNotices",
		"../internal/mode/interactive TestClearOnShrink":                       "terminal.clearOnShrink",
		"../internal/mode/interactive TestCodeBlockIndent":                     "markdown.codeBlockIndent",
		"../internal/mode/interactive TestCompletionRows":                      "autocompleteMaxVisible",
		"../internal/mode/interactive TestCopyOnSelect":                        "fullscreenCopyOnSelect",
		"../internal/mode/interactive TestDoubleEscape":                        "doubleEscapeAction",
		"../internal/mode/interactive TestEditorPadding":                       "editorPaddingX",
		"../internal/mode/interactive TestExtraUsageWarning":                   "warnings.anthropicExtraUsage",
		"../internal/mode/interactive TestImageWidth":                          "terminal.imageWidthCells",
		"../internal/mode/interactive TestKeysOfVi":                            "editorKeys",
		"../internal/mode/interactive TestLineMode":                            "tuiMode",
		"../internal/mode/interactive TestLookOfSettings":                      "terminal.reducedMotion terminal.showTerminalProgress terminal.ascii terminal.trueColor",
		"../internal/mode/interactive TestModelsToCycleThrough":                "enabledModels",
		"../internal/mode/interactive TestNewsAfterAnUpdate":                   "collapseChangelog lastChangelogVersion",
		"../internal/mode/interactive TestQuietStart":                          "quietStartup",
		"../internal/mode/interactive TestSettingOfDiagrams":                   "markdown.mermaid",
		"../internal/mode/interactive TestSettingsOfTheScreen":                 "terminal.hyperlinks outputPad fullscreenScrollbar showHardwareCursor",
		"../internal/mode/interactive TestShareElsewhere":                      "sessionShareDestination",
		"../internal/mode/interactive TestSkillsAsCommands":                    "enableSkillCommands",
		"../internal/mode/interactive TestThemeFilesCountWhenTheyAreSaved":     "theme",
		"../internal/mode/interactive TestThinkingIsShownFoldedOrHidden":       "hideThinkingBlock",
		"../internal/mode/interactive TestTreePicker":                          "treeFilterMode",
		"../internal/mode/interactive TestWayOfImages":                         "terminal.images terminal.showImages",
		"../internal/mode/interactive TestWheelLines":                          "fullscreenWheelScrollLines",
		"../packages TestNPMCommand":                                           "npmCommand",
		"../resource TestListsOfTheSettings":                                   "extensions skills prompts themes",
		"../resource TestPackagesTakePart":                                     "packages",
	}
}

// A setting either does something, which a test shows, or says why it does not.
// Whoever adds one adds the test of what it does here; whether that fails without
// the effect is for people to try.
func TestEverySettingHasAnEffectOrAReason(t *testing.T) {
	shown := map[string]string{}
	for test, keys := range effects() {
		dir, name, _ := strings.Cut(test, " ")
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		there := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(text), fmt.Sprintf("\nfunc %s(t *testing.T) {", name))
		})
		if !there {
			t.Errorf("there is no test %s in %s, which should show what %s does", name, dir, keys)
		}
		for key := range strings.FieldsSeq(keys) {
			if shown[key] != "" {
				t.Errorf("%s is there twice: %s and %s", key, shown[key], test)
			}
			shown[key] = test
		}
	}
	for _, key := range Keys() {
		switch why := Inert(key); {
		case shown[key] == "" && why == "":
			t.Errorf("no test shows what %s does: name it here, or say in inert.go why it does nothing", key)
		case shown[key] != "" && why != "":
			t.Errorf("%s does something (%s) and nothing (%s)", key, shown[key], why)
		}
		delete(shown, key)
	}
	for key := range shown {
		t.Errorf("%s is no setting", key)
	}
}
