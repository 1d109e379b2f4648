// Portkey's gateway as it is installed, which would listen on all interfaces: it is told to listen on loopback.
import { Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder, port] = process.argv.slice(2)
process.env.NODE_ENV = 'production'
process.argv.splice(2, Number.POSITIVE_INFINITY, '--headless', `--port=${port}`)
const { listen } = Server.prototype
Server.prototype.listen = function () {
  return listen.call(this, Number(port), '127.0.0.1')
}
await import(pathToFileURL(join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')).href)
