package ai

// Version is the version of this module; all modules of the repository share
// it. It is set by the release tool from the VERSION file.
const Version = "0.1.0"
