import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock/clock.ts'
import { KeepAliveConnection } from './keep-alive-connection.ts'

class FakeSocket extends EventEmitter {
  bytesRead = 0
  writableLength = 0
  destroyed = false

  destroy(): void {
    this.destroyed = true
  }
}

const reset = (code = 'ECONNRESET') => Object.assign(new Error('gone'), { code })

function watching() {
  const lost: Error[] = []
  const time = { now: 0 }
  const connection = new KeepAliveConnection(error => lost.push(error), {
    ...systemClock,
    monotonic: () => time.now,
  })
  const socket = new FakeSocket()
  /** A request, and so many bytes of its answer. */
  const serve = (bytes: number, by = socket) => {
    connection.next()
    by.bytesRead += bytes
  }
  return { lost, time, connection, socket, serve }
}

describe('KeepAliveConnection', () => {
  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
    'tells of one that is lost as it is used again: %s',
    code => {
      const { lost, connection, socket, serve } = watching()
      serve(0)
      connection.opened(socket)
      socket.bytesRead = 100
      connection.next()
      const error = reset(code)
      socket.emit('error', error)
      expect(lost).toEqual([error])
    },
  )

  it('tells of none that served nobody before, or had begun to answer, or fails in another way', () => {
    const { lost, connection, socket, serve } = watching()
    connection.opened(socket)
    serve(0)
    socket.emit('error', reset())
    serve(100)
    serve(1)
    socket.emit('error', reset())
    serve(0)
    socket.emit('error', reset('ETIMEDOUT'))
    socket.emit('error', new Error('no code'))
    expect(lost).toEqual([])
  })

  it('tells of none that is lost so late that the upstream had the request', () => {
    const { lost, time, connection, socket, serve } = watching()
    connection.opened(socket)
    serve(100)
    connection.next()
    time.now = 1_001
    socket.emit('error', reset())
    expect(lost).toEqual([])
    serve(0)
    time.now = 2_001
    socket.emit('error', reset())
    expect(lost).toHaveLength(1)
  })

  it('tells of none that was opened for the request', () => {
    const { lost, connection, socket, serve } = watching()
    connection.opened(socket)
    serve(100)
    connection.next()
    const fresh = new FakeSocket()
    connection.opened(fresh)
    fresh.emit('error', reset())
    expect(lost).toEqual([])
  })

  it('ends one that still holds bytes of the request before', () => {
    const { connection, socket, serve } = watching()
    connection.opened(socket)
    serve(100)
    expect(socket.destroyed).toBe(false)
    socket.writableLength = 1
    connection.next()
    expect(socket.destroyed).toBe(true)
  })
})
