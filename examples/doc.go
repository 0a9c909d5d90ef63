// Package examples holds small programs that the tests build and run.
package examples
