import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { defaultTransport } from './undici.ts'

it('closes the connection of a request that is aborted, and opens none in its place', async () => {
  let opened = 0
  let open = 0
  const server = createServer((request, response) => {
    if (request.url === '/whole') response.end('whole')
    else response.write('begun')
  })
  server.on('connection', socket => {
    opened++
    open++
    socket.once('close', () => open--)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const transport = defaultTransport({ connectMs: 500 })
  onTestFinished(async () => {
    await transport.close?.()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (path: string, signal: AbortSignal) =>
    transport({ method: 'POST', url: origin + path, headers: {}, body: 'hi' }, signal)

  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const bodies = await Promise.all(
    controllers.map(async ({ signal }) => {
      const { body } = await ask('/begun', signal)
      const bytes = body[Symbol.asyncIterator]()
      await bytes.next()
      return bytes
    }),
  )
  const reads = bodies.map(bytes => bytes.next())
  for (const controller of controllers) controller.abort(new Error('left'))
  for (const read of reads) await expect(read).rejects.toThrow('left')
  // A connection that undici opens anew is there before this one is.
  const { body } = await ask('/whole', new AbortController().signal)
  for await (const bytes of body) expect(Buffer.from(bytes).toString()).toBe('whole')
  expect(opened).toBe(21)
  expect(open).toBe(1)
})
