import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Gateway } from '@sluice/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serve } from './serve.ts'

// In a process of its own: five seconds after the signal, `serve` ends the one that it runs in.

describe('serve', () => {
  it('stops on a signal, and takes its handlers back', async () => {
    const before = [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
    let drained: unknown
    const gateway: Gateway<IncomingMessage> = {
      fetch: async () => new Response(),
      matches: () => true,
      close: async options => {
        drained = options
      },
    }
    const service = await serve(gateway, { port: 0, signals: true, drainMs: 123 })
    onTestFinished(() => service.close())
    expect(process.listenerCount('SIGTERM')).toBe(before[0]! + 1)
    const closed = once(service.server, 'close')
    process.kill(process.pid, 'SIGTERM')
    await closed
    expect(drained).toEqual({ drainMs: 123, delayMs: 0 })
    expect([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]).toEqual(before)
  })
})
