import { once } from 'node:events'
import { type AddressInfo, Server } from 'node:net'

/** The servers that a snippet started, and the ports that they got in place of those they asked for. */
export interface Redirection {
  /** The free port that was taken for a port. Waits until the server listens. */
  port(asked: number): Promise<number>
  stop(): Promise<void>
}

const { listen: ownListen } = Server.prototype

/** The servers of the redirections that last, the newest last. They may end in any order. */
const lasting: Map<number, Server>[] = []

/**
 * While it lasts, `listen(3000)` takes a free port of this machine in place of 3000, so that snippets can say
 * what their readers would say, and many of them can run at once.
 */
export function redirectPorts(): Redirection {
  const servers = new Map<number, Server>()
  lasting.push(servers)
  Server.prototype.listen = redirected as typeof ownListen
  return {
    async port(asked) {
      const server = servers.get(asked)
      if (server === undefined) {
        throw new Error(`Nothing listens on ${asked}, only on [${[...servers.keys()].join(', ')}].`)
      }
      if (!server.listening) await once(server, 'listening')
      return (server.address() as AddressInfo).port
    },
    async stop() {
      lasting.splice(lasting.indexOf(servers), 1)
      if (lasting.length === 0) Server.prototype.listen = ownListen
      for (const server of servers.values()) {
        if (!server.listening) continue
        const closed = once(server, 'close')
        server.close()
        if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
        await closed
      }
    },
  }
}

function redirected(this: Server, ...args: unknown[]): Server {
  const servers = lasting.at(-1)!
  const [first] = args
  if (typeof first === 'number') {
    servers.set(first, this)
    args[0] = 0
  } else if (typeof first === 'object' && first !== null && 'port' in first) {
    servers.set(Number(first.port), this)
    args[0] = { ...first, port: 0 }
  }
  return Reflect.apply(ownListen, this, args)
}
