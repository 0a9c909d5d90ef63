// Package sqlite keeps sessions in one SQLite database.
package sqlite
