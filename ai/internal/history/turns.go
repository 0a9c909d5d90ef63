package history

import "github.com/pi-go/pi/ai"

// Turns cuts a conversation for vendors with whom roles alternate: an answer is a
// unit, and so is everything between two answers. A system message that leads is left
// out, it is sent apart.
func Turns(messages []ai.Message) []Unit {
	list := make([]Unit, 0, len(messages)+1)
	start := 0
	flush := func(end int) {
		if start < end {
			list = append(list, Unit{At: start, Messages: messages[start:end]})
		}
	}
	for i, m := range messages {
		switch m.(type) {
		case *ai.SystemMessage:
			if i == 0 {
				start = 1
			}
		case *ai.AssistantMessage:
			flush(i)
			list = append(list, Unit{At: i, Messages: messages[i : i+1]})
			start = i + 1
		}
	}
	flush(len(messages))
	return list
}
