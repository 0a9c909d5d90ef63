package lockfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

func ExampleUpdate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "settings.json")

	err = lockfile.Update(context.Background(), path, lockfile.Brief(), func(old []byte) ([]byte, error) {
		d, err := jsonobj.Open(path, old, jsonobj.Strict)
		if err != nil {
			return nil, err // a file that can not be read is never written over
		}
		if err := d.Set("dark", "theme"); err != nil {
			return nil, err
		}
		return d.Bytes(), nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := lockfile.Read(context.Background(), path, lockfile.Brief())
	fmt.Println(string(text), err)
	// Output:
	// {
	//   "theme": "dark"
	// } <nil>
}
