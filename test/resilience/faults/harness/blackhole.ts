import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const listener = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => process.send(server.address().port))
`

/**
 * A port where a connection is neither accepted nor refused, until the test ends: the process that listens there
 * stands still, and its queue is full.
 */
export async function blackHole(): Promise<number> {
  const child = spawn(process.execPath, ['-e', listener], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  })
  const [port] = (await once(child, 'message')) as [number]
  child.kill('SIGSTOP')
  // The kernel takes some connections in, then answers no further one.
  for (let queued = true; queued; ) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    queued = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<false>(resolve => setTimeout(resolve, 300, false)),
    ])
  }
  return port
}
