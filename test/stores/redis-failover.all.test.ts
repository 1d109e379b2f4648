import { connect, createServer, type Socket } from 'node:net'
import { findClosedPort } from '@sluice/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openRedis } from '../../packages/cli/src/state/open-redis.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer, startReplica } from './servers/redis-server.ts'

/** What the name of a server is to its clients: new connections go to the present target. */
class Name {
  target: number
  readonly #sockets = new Set<Socket>()

  private constructor(target: number) {
    this.target = target
  }

  static async of(target: number): Promise<{ name: Name; url: string }> {
    const name = new Name(target)
    const port = await findClosedPort()
    const server = createServer(socket => name.#relay(socket))
    await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      for (const socket of name.#sockets) socket.destroy()
    })
    return { name, url: `redis://127.0.0.1:${port}` }
  }

  /** Open connections stay, and nothing comes through any more. */
  silence(): void {
    for (const socket of this.#sockets) {
      socket.unpipe()
      socket.resume()
    }
  }

  #relay(socket: Socket): void {
    const server = connect(this.target, '127.0.0.1')
    for (const [one, other] of [
      [socket, server],
      [server, socket],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {}).once('close', () => other.destroy())
      one.pipe(other)
    }
  }
}

async function openState(url: string) {
  const state = await openRedis({ redis: url }, { cwd: import.meta.dirname, log: () => {} })
  onTestFinished(() => state.close())
  await state.connected()
  return state
}

const admit = async ({ limitStore }: Awaited<ReturnType<typeof openState>>, id: string) =>
  limitStore.admit({ id, ttlMs: 1_000, counters: [{ kind: 'lease', key: 'k', limit: 9, dryRun: false }] })

describeWithRedis('the Redis of a configuration', () => {
  async function startPair() {
    const primary = await RedisServer.start()
    onTestFinished(() => primary.stop())
    const replica = await startReplica(primary)
    onTestFinished(() => replica.stop())
    const { name, url } = await Name.of(primary.port)
    return { primary, replica, name, state: await openState(url) }
  }

  it('is the new primary, where the host of the old one has vanished', async () => {
    const { replica, name, state } = await startPair()
    expect((await admit(state, 'a')).allowed).toBe(true)
    name.silence()
    await replica.command('REPLICAOF', 'NO', 'ONE')
    name.target = replica.port
    const unanswered = admit(state, 'b').catch((error: Error) => error.message)
    await vi.waitFor(async () => expect((await admit(state, 'c')).allowed).toBe(true), 10_000)
    expect(await unanswered).toMatch(/Socket timeout|Connection is closed|max retries/i)
  })

  it('is the new primary, where the old one has become its replica', async () => {
    const { primary, replica, name, state } = await startPair()
    expect((await admit(state, 'a')).allowed).toBe(true)
    await replica.command('REPLICAOF', 'NO', 'ONE')
    await primary.command('REPLICAOF', '127.0.0.1', String(replica.port))
    await expect(admit(state, 'b')).rejects.toThrow('READONLY')
    name.target = replica.port
    await vi.waitFor(async () => expect((await admit(state, 'c')).allowed).toBe(true), 10_000)
  })
})
