// A client that leaves before its answer has ended. The vendor has to be left then, and the client's room to be given back:
// its key, `sk-one`, has room for one request at a time.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { ask, there } from './ask.mjs'

const key = 'sk-one'
const patienceMs = 5_000

/** Leaves in the middle of a stream, of which some has come. */
export async function leaveStream(site, said) {
  const leaving = new AbortController()
  const coming = site.upstream.endless()
  const response = await ask(site, there(said, { stream: true }), { key, signal: leaving.signal })
  await readUntil(response.body.getReader(), 'first ')
  const call = await within(coming, 'the call of the vendor')
  leaving.abort()
  await expectLeft(site, call)
}

/** Leaves while a whole answer is awaited, as a client does: by closing its connection. */
export async function leaveWhole(site) {
  const leaving = new AbortController()
  const coming = site.upstream.endless()
  const answer = ask(site, there('wait'), { key, signal: leaving.signal })
  const left = assert.rejects(answer, { name: 'AbortError' })
  const call = await within(coming, 'the call of the vendor')
  leaving.abort()
  await left
  await expectLeft(site, call)
}

/** Is cut off while a whole answer is awaited: its connection is reset. */
export async function cutOff(site) {
  const { hostname, port, pathname } = new URL(site.baseURL)
  const body = JSON.stringify(there('wait'))
  const head = [
    `POST ${pathname}/chat/completions HTTP/1.1`,
    `host: ${hostname}:${port}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  const coming = site.upstream.endless()
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  const call = await within(coming, 'the call of the vendor')
  socket.resetAndDestroy()
  await expectLeft(site, call)
}

async function expectLeft(site, call) {
  await within(call.left, 'the end of the call of the vendor')
  // The room is given back when the request is settled, which nobody outside hears of.
  const last = performance.now() + patienceMs
  let status = 429
  while (status === 429 && performance.now() < last) {
    const response = await ask(site, {}, { key })
    await response.arrayBuffer()
    status = response.status
  }
  assert.equal(status, 200, 'the room of the client who left is not given back')
}

/** Reads a stream until `text` has come. */
async function readUntil(reader, text) {
  const decoder = new TextDecoder()
  let read = ''
  while (!read.includes(text)) {
    const { done, value } = await reader.read()
    assert.equal(done, false, `the stream ended before '${text}': ${read}`)
    read += decoder.decode(value, { stream: true })
  }
}

/** What a promise gives. Rejects where it takes longer than is allowed. */
async function within(promise, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${patienceMs} ms`)), patienceMs)
  })
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
