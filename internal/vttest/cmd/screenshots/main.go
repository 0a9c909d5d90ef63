//go:build unix

// Command screenshots runs scripts of package screenshot and writes the pictures,
// a .png and a .txt each.
//
//	screenshots [-to DIR] [-program NAME=PATH ...] SCRIPT ...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/internal/vttest/screenshot"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	to := flag.String("to", ".", "the `directory` to write to")
	programs := map[string]string{}
	flag.Func("program", "what a name in a script stands for, as `NAME=PATH`", func(s string) error {
		name, path, ok := strings.Cut(s, "=")
		if !ok {
			return errors.New("want NAME=PATH")
		}
		abs, err := filepath.Abs(path)
		programs[name] = abs
		return err
	})
	flag.Parse()
	if err := run(ctx, *to, programs, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, to string, programs map[string]string, scripts []string) error {
	if len(scripts) == 0 {
		return errors.New("there is no script to run")
	}
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the script: %w", err)
		}
		s, err := screenshot.Parse(string(text))
		if err != nil {
			return fmt.Errorf("read the script %s: %w", file, err)
		}
		shots, err := s.Run(ctx, programs)
		if err != nil {
			return fmt.Errorf("run the script %s: %w", file, err)
		}
		for _, shot := range shots {
			if err := shot.Write(to); err != nil {
				return err
			}
			fmt.Println(filepath.Join(to, shot.Name+".png"))
		}
	}
	return nil
}
