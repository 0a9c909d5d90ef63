package server_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"

	"github.com/pi-go/pi/agentcore/session"
)

// brokenRepo keeps sessions on a disk that can be full.
type brokenRepo struct {
	session.Repo
	isFull atomic.Bool
}

func (r *brokenRepo) full(v bool) { r.isFull.Store(v) }

func (r *brokenRepo) Create(ctx context.Context, h session.Header, lines iter.Seq2[[]byte, error]) (session.Storage, error) {
	s, err := r.Repo.Create(ctx, h, lines)
	return brokenStorage{s, r}, err
}

type brokenStorage struct {
	session.Storage
	repo *brokenRepo
}

func (s brokenStorage) Append(ctx context.Context, stub session.Stub, line []byte) (session.Stub, error) {
	if s.repo.isFull.Load() {
		return session.Stub{}, errors.New("the disk is full")
	}
	return s.Storage.Append(ctx, stub, line)
}
