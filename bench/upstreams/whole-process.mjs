// Where there is no nginx: the same answer to each request, by Node.
import { createServer } from 'node:http'

const body = Buffer.from(process.argv[2])
const headers = { 'content-type': 'application/json', 'content-length': body.byteLength }
const server = createServer((req, res) => {
  req.resume().once('end', () => res.writeHead(200, headers).end(body))
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit())
