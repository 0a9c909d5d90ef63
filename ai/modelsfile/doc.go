// Package modelsfile reads models.json, the file in which a person describes providers
// and models of their own and changes built-in ones: other addresses, keys, headers,
// limits, prices. Every program that uses the files of pi knows them by it.
//
//	file, err := modelsfile.Parse(path, text)
//	if err != nil {
//		return err
//	}
//	providers, changed, faults := file.Apply(config, all.Providers())
//
// What is wrong with a file is told with line and column, and costs only the entry it
// is in.
package modelsfile
