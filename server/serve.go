package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Listen listens on an address of this machine that only this machine can
// reach; any other is refused.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		err := fmt.Errorf("listen on %s: others could reach it there; use 127.0.0.1 or localhost, and a tunnel (ssh -L) to come from elsewhere", addr)
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Serve answers requests until ctx ends. Then it closes the sessions, which are
// saved, lets answers be sent for at most Config.Grace, and returns nil if all
// went well. It closes the listener.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.cfg.Logger.Handler(), slog.LevelWarn),
	}
	served := make(chan error, 1)
	go func() { served <- h.Serve(l) }()
	var failed error
	select {
	case <-ctx.Done():
	case failed = <-served:
		failed = fmt.Errorf("serve %s: %w", l.Addr(), failed)
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Grace)
	defer cancel()
	closed := make(chan error, 1)
	// Streams of events end when their sessions are closed; until then they
	// would keep Shutdown waiting, and no new request must come meanwhile.
	go func() { closed <- s.Close(grace) }()
	err := h.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.Join(fmt.Errorf("connections were still busy after %v and were broken", s.cfg.Grace), h.Close())
	}
	return errors.Join(failed, <-closed, err)
}
