package edit

// maxKills is how many deleted pieces are kept.
const maxKills = 60

// DeleteLeft deletes the cluster before the cursor.
func (b *Buffer) DeleteLeft() bool { return b.remove(b.left, kindDelete) }

// DeleteRight deletes the cluster after the cursor.
func (b *Buffer) DeleteRight() bool { return b.remove(b.right, kindDelete) }

// KillWordBackward deletes to the beginning of the word and keeps what it deletes.
func (b *Buffer) KillWordBackward() bool { return b.remove(b.wordLeft, kindKillBackward) }

// KillWordForward deletes to the end of the word and keeps what it deletes.
func (b *Buffer) KillWordForward() bool { return b.remove(b.wordRight, kindKillForward) }

// KillToLineStart deletes to the beginning of the line, or the line end before
// it, and keeps what it deletes.
func (b *Buffer) KillToLineStart() bool {
	return b.remove(func(p Pos) Pos {
		if p.Col == 0 {
			return b.left(p)
		}
		return Pos{p.Row, 0}
	}, kindKillBackward)
}

// KillToLineEnd deletes to the end of the line, or the line end, and keeps what
// it deletes.
func (b *Buffer) KillToLineEnd() bool {
	return b.remove(func(p Pos) Pos {
		if p.Col == len(b.lines[p.Row]) {
			return b.right(p)
		}
		return Pos{p.Row, len(b.lines[p.Row])}
	}, kindKillForward)
}

// remove deletes from the cursor to where f leads.
func (b *Buffer) remove(f func(Pos) Pos, k kind) bool {
	b.init()
	from, to := b.cur, f(b.cur)
	if from == to {
		return false
	}
	if to.Before(from) {
		from, to = to, from
	}
	killed := b.between(from, to)
	again := b.last == k
	b.edit(from, to, "", k)
	if k == kindKillBackward || k == kindKillForward {
		b.keepKilled(killed, k, again)
	}
	return true
}

// keepKilled adds to the ring; kills in the same direction that follow each other
// are one piece.
func (b *Buffer) keepKilled(s string, k kind, again bool) {
	if n := len(b.ring); again && n > 0 {
		if k == kindKillBackward {
			b.ring[n-1] = s + b.ring[n-1]
		} else {
			b.ring[n-1] += s
		}
		return
	}
	b.ring = append(b.ring, s)
	if len(b.ring) > maxKills {
		b.ring = append(b.ring[:0], b.ring[len(b.ring)-maxKills:]...)
	}
}

// Yank inserts what was killed last.
func (b *Buffer) Yank() bool {
	if len(b.ring) == 0 {
		return false
	}
	b.yankAt = len(b.ring) - 1
	b.yank(b.cur, b.cur)
	return true
}

// YankPop, right after a Yank, puts what was killed before that in its place.
func (b *Buffer) YankPop() bool {
	if b.last != kindYank || len(b.ring) < 2 {
		return false
	}
	b.yankAt = (b.yankAt + len(b.ring) - 1) % len(b.ring)
	b.yank(b.yanked.from, b.yanked.to)
	return true
}

func (b *Buffer) yank(from, to Pos) {
	s := b.ring[b.yankAt]
	b.edit(from, to, s, kindYank)
	b.last = kindYank
	b.yanked = span{from, advance(from, s)}
}
