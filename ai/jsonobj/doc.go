// Package jsonobj handles JSON objects whose members are only partly known:
// it walks them in order, keeps what the program does not understand, and
// writes text that equals what JSON.stringify would write.
//
// Session files, credentials and settings are shared with other programs and
// with other versions of this one, so a field that is unknown today must be
// written back unchanged. encoding/json alone forgets such fields and their
// order.
//
//   - [Walk] visits the members of an object where they stand; [Object] holds them
//     for change and writes them back.
//   - [Document] edits a file member by member and leaves every other byte:
//     comments, order, indentation, unknown keys.
//   - [Decode] and [Relax] read what people write (comments, trailing commas) and
//     say file, line and column of what is wrong.
//   - [AppendString], [AppendFloat] and [AppendInt] are for encoders on hot paths.
//
// None of the types is safe for concurrent changes; reading is.
package jsonobj
