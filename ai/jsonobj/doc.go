// Package jsonobj handles JSON objects whose members are only partly known:
// it walks them in order, keeps what the program does not understand, and
// writes text that equals what JSON.stringify would write.
//
// Session files, credentials and settings are shared with other programs and
// with other versions of this one, so a field that is unknown today must be
// written back unchanged. encoding/json alone forgets such fields and their
// order.
package jsonobj
