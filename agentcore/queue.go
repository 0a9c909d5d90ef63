package agentcore

import "slices"

// queue holds messages that wait to be delivered. Its agent's mutex guards it.
type queue struct {
	mode QueueMode
	list []Message
}

func (q *queue) push(messages []Message) {
	for _, m := range messages {
		if m != nil {
			q.list = append(q.list, m)
		}
	}
}

// unshift puts messages back that were taken but not delivered.
func (q *queue) unshift(messages []Message) { q.list = slices.Insert(q.list, 0, messages...) }

func (q *queue) take(n int) []Message {
	out := slices.Clone(q.list[:n])
	q.list = slices.Delete(q.list, 0, n)
	return out
}

// next takes what the mode delivers at a time.
func (q *queue) next() []Message {
	if q.mode == QueueAll {
		return q.take(len(q.list))
	}
	return q.take(min(1, len(q.list)))
}

// drain makes the function by which a run asks for queued messages.
func (a *Agent) drain(q *queue, more func() []Message) func() []Message {
	return func() []Message {
		a.mu.Lock()
		messages := q.next()
		a.mu.Unlock()
		if len(messages) == 0 && more != nil {
			return more()
		}
		return messages
	}
}

// Steer queues messages for the next request of the run: they are added after
// the tool results of the turn that is under way. Without a run they wait for
// the next one.
func (a *Agent) Steer(messages ...Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steering.push(messages)
}

// FollowUp queues messages for when the run would end. Messages that come
// after its last look at the queue, or that an abort left behind, wait for the
// next run; Continue starts one.
func (a *Agent) FollowUp(messages ...Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.followUp.push(messages)
}

// Queued lists the messages that wait, in the order of delivery.
func (a *Agent) Queued() (steering, followUp []Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.steering.list), slices.Clone(a.followUp.list)
}

// ClearSteering empties the queue of steering messages and returns what was
// in it.
func (a *Agent) ClearSteering() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.steering.take(len(a.steering.list))
}

// ClearFollowUp empties the queue of follow-up messages and returns what was
// in it.
func (a *Agent) ClearFollowUp() []Message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.followUp.take(len(a.followUp.list))
}

// SetSteeringMode says how many steering messages are delivered at a time.
func (a *Agent) SetSteeringMode(m QueueMode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.steering.mode = m
}

// SetFollowUpMode says how many follow-up messages are delivered at a time.
func (a *Agent) SetFollowUpMode(m QueueMode) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.followUp.mode = m
}
