// Package googlevertex speaks the protocol of Gemini on Google Cloud (Vertex AI).
// It is that of the Gemini API with other addresses and credentials.
//
// With a key a request goes to the models of the account's own project. Without one
// it is authorised by application default credentials: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, or the one that gcloud writes. All forms of
// it work (service account, user, workload identity, impersonation); GOOGLE_CLOUD_PROJECT
// and GOOGLE_CLOUD_LOCATION are needed then, or the same in [Options].
package googlevertex
