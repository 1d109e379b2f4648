import { Pool } from 'undici'

/** What a bare proxy does that buffers: it reads all, asks, and tells what it got. It validates nothing. */
export function forwarder(upstream) {
  const pool = new Pool(upstream)
  return async req => {
    const answer = await pool.request({
      method: 'POST',
      path: req.originalUrl ?? req.url,
      headers: { 'content-type': 'application/json' },
      body: await bodyOf(req),
    })
    const body = Buffer.from(await answer.body.arrayBuffer())
    const type = answer.headers['content-type'] ?? 'application/json'
    return {
      status: answer.statusCode,
      headers: { 'content-type': type, 'content-length': body.byteLength },
      body,
    }
  }
}

function bodyOf(req) {
  return new Promise((resolve, reject) => {
    const chunks = []
    req
      .on('data', chunk => chunks.push(chunk))
      .once('end', () => resolve(Buffer.concat(chunks)))
      .once('error', reject)
  })
}
