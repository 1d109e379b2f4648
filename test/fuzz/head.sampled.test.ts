import { equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll } from 'vitest'
import { headExamples } from './examples/head.ts'
import { fuzz } from './fuzz.ts'
import { exchange, exchangeInMemory, type RawAnswer } from './head/exchange.ts'
import { expectedStatus } from './head/expected-status.ts'
import { headBytes, key, type RequestHead, requestHead } from './head/request-heads.ts'
import { servers } from './head/servers.ts'

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })
const bytesOf = (head: RequestHead) => headBytes(head, body)

const node = servers['node:http']()

fuzz({
  name: 'request heads: node:http',
  cases: 100_000,
  quick: 1_000,
  input: requestHead,
  examples: headExamples,
  async check(head) {
    expectAnswer(await exchangeInMemory(node, bytesOf(head)), head)
  },
})

// Express reads a target by `url.parse`, which makes the process warn of a port that is none.
const hasSoundPort = ({ target }: RequestHead) => !/^[a-z]+:\/\/[^/?#]*:\d*[^\d/?#]/i.test(target)

for (const name of ['Express 5', 'Koa'] as const) {
  const server = servers[name]()
  fuzz({
    name: `request heads: ${name} beside node:http`,
    cases: 20_000,
    quick: 300,
    input: requestHead.filter(hasSoundPort),
    examples: headExamples,
    async check(head) {
      const own = await exchangeInMemory(node, bytesOf(head))
      const other = await exchangeInMemory(server, bytesOf(head))
      if (other.headers.has('x-request-id')) {
        equal(other.status, own.status)
        // The words may differ: hosts may have spelled the path anew.
        equal(codeIn(other.body), codeIn(own.body))
      } else {
        // Not the gateway's: the host says so, or Node has refused the head before.
        const told = `${other.status} and ${own.status}`
        const refused = !own.headers.has('x-request-id')
        ok(refused ? other.status === own.status : other.status === 404 && isElsewhere(own), told)
      }
      expectHarmless(other)
    },
  })
}

const listening = servers['node:http']().listen(0, '127.0.0.1')
await once(listening, 'listening')
afterAll(() => listening.close())

fuzz({
  name: 'request heads: node:http by real sockets',
  cases: 2_000,
  quick: 100,
  input: requestHead,
  examples: headExamples,
  async check(head) {
    const client = connect((listening.address() as AddressInfo).port, '127.0.0.1')
    expectAnswer(await exchange(client, bytesOf(head)), head)
  },
})

function expectAnswer(answer: RawAnswer, head: RequestHead): void {
  expectHarmless(answer)
  if (!answer.headers.has('x-request-id')) ok(isNodes(answer), `got ${answer.status}`)
  else {
    equal(answer.status, expectedStatus(head), answer.body)
    if (head.method === 'HEAD') equal(answer.body, '')
    else {
      const { error } = JSON.parse(answer.body) as { error?: object }
      equal(error === undefined, answer.status === 200)
      if (error !== undefined) equal(Object.keys(error).join(), 'message,type,param,code')
    }
  }
}

/** Node answers by itself, or not at all, what it cannot read, and expectations and methods that it does not know. */
function isNodes({ status, body: text }: RawAnswer): boolean {
  return text === '' && (status === undefined || status === 400 || status === 417 || status === 431)
}

function expectHarmless({ status, headers, body: text }: RawAnswer): void {
  ok(status === undefined || status < 500, `got ${status}: ${text}`)
  ok(
    text.length < 2_000 && !text.includes(key) && ![...headers.values()].some(value => value.includes(key)),
    text,
  )
}

/** A path that is not the gateway's, or is none, goes on to the host's next handler. */
function isElsewhere({ status }: RawAnswer): boolean {
  return status === 404 || status === 400
}

/** An error's code; `undefined` where the answer is none. */
function codeIn(text: string): unknown {
  return text === '' ? '' : (JSON.parse(text) as { error?: { code: unknown } }).error?.code
}
