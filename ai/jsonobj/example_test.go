package jsonobj_test

import (
	"fmt"

	"github.com/pi-go/pi/ai/jsonobj"
)

func ExampleDocument() {
	settings := []byte(`{
  "theme": "dark", // easier at night
  "unknownToUs": [1, 2]
}`)
	d, err := jsonobj.Open("settings.json", settings, jsonobj.Relaxed)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := d.Set("light", "theme"); err != nil {
		fmt.Println(err)
	}
	if err := d.Set(3, "retry", "maxRetries"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(d.Bytes()))
	// Output:
	// {
	//   "theme": "light", // easier at night
	//   "unknownToUs": [1, 2],
	//   "retry": {
	//     "maxRetries": 3
	//   }
	// }
}

func ExampleDecode() {
	var v struct {
		Models []struct {
			ID            string `json:"id"`
			ContextWindow int    `json:"contextWindow"`
		} `json:"models"`
	}
	err := jsonobj.Decode("models.json", []byte("{\n  \"models\": [\n    {\"id\": \"m\", \"contextWindow\": \"128k\"}\n  ]\n}"), jsonobj.Relaxed, &v)
	fmt.Println(err)
	// Output:
	// models.json:3:34: models[0].contextWindow: expected a whole number, found a string
}

func ExampleObject() {
	o, err := jsonobj.Parse([]byte(`{"type":"message","future":{"x":1.50}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := o.Set("id", "a1"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(o.AppendJSON(nil)))
	// Output:
	// {"type":"message","future":{"x":1.50},"id":"a1"}
}
