import { Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Portkey's gateway as it is installed, which would listen on all interfaces: it is told to listen on loopback. */
export async function start(_upstream, { folder }) {
  process.env.NODE_ENV = 'production'
  process.argv.push('--headless', '--port=0')
  const { listen } = Server.prototype
  const listened = new Promise(resolve => {
    Server.prototype.listen = function () {
      return listen.call(this, 0, '127.0.0.1', () => resolve(this.address().port))
    }
  })
  await import(pathToFileURL(join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')).href)
  return listened
}

/** It is told by each request where to ask. */
export function headersFor(upstream) {
  return { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` }
}
