import { chunks, completion, type Steps, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overAllMounts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const canary = 'canary-9b1d'

/** Headers that say something of the vendor, or that would do something to the caller. */
const hostile: Readonly<Record<string, string>> = {
  'set-cookie': `session=${canary}; Path=/`,
  'x-goog-api-key': canary,
  'x-api-key': canary,
  authorization: `Bearer ${canary}`,
  'www-authenticate': `Basic realm="${canary}"`,
  'proxy-authenticate': 'Basic',
  server: canary,
  via: `1.1 ${canary}`,
  'alt-svc': `h3=":443"; ma=${canary}`,
  'x-powered-by': canary,
  link: `<https://${canary}>; rel=preload`,
  location: `https://${canary}`,
  refresh: `0; url=https://${canary}`,
  'clear-site-data': '"*"',
  'strict-transport-security': 'max-age=1',
  'content-security-policy': `report-uri https://${canary}`,
  'content-disposition': `attachment; filename=${canary}`,
  'access-control-allow-origin': `https://${canary}`,
  'access-control-allow-credentials': 'true',
  'x-request-id': canary,
  'x-amzn-requestid': canary,
  'openai-organization': canary,
  'openai-processing-ms': '77777',
  'x-ratelimit-remaining-tokens': '77777',
  'x-sluice-adjustments': canary,
  'cf-ray': canary,
  'cache-control': 'public, max-age=77777',
  vary: canary,
  etag: canary,
  age: '77777',
  expires: 'Thu, 01 Jan 2037 00:00:00 GMT',
  'x-accel-redirect': `/${canary}`,
  'x-sendfile': `/${canary}`,
}

const answers: Readonly<Record<string, (headers: Readonly<Record<string, string>>) => Steps>> = {
  'a whole answer': headers => steps.reply(completion(), { headers }),
  'a stream': headers => steps.stream(sse(chunks()), { headers }),
  'a refusal of its own': headers =>
    steps.reply({ error: { message: 'no' } }, { status: 400, headers: { ...headers, 'retry-after': '9' } }),
  'too many requests': headers => steps.reply({ error: { message: 'no' } }, { status: 429, headers }),
  'a refusal of the key': headers => steps.reply({ error: { message: 'no' } }, { status: 401, headers }),
  'a failure': headers => steps.reply('no', { status: 500, headers: { ...headers, 'retry-after': '9' } }),
  'a redirect': headers => steps.reply('', { status: 307, headers }),
  'no completion': headers => steps.reply('{}', { headers }),
}

describe('F57 an upstream sends headers that are nobody’s business', () => {
  overAllMounts(mount => {
    it.each(Object.entries(answers))('none of them is on %s', async (name, answer) => {
      const upstream = await upstreamDuring(answer(hostile), answer({}))
      const { site } = await startService(mount, { models: { m: upstream } })
      const asked = { model: 'm', stream: name === 'a stream' }
      const told = await site.chat(asked)
      const usual = await site.chat(asked)
      // As from an upstream that sends none of them: there is nothing that is passed on.
      expect(told.status).toBe(usual.status)
      expect(headOf(told.headers)).toEqual(headOf(usual.headers))
      expect(told.body).not.toContain(canary)
      expect(JSON.stringify(told.rawHeaders)).not.toMatch(/canary|77777/)
      expect(Object.keys(told.headers).filter(key => !ours.has(key))).toEqual([])
      expect(told.headers['x-request-id']).toMatch(/^req_/)
    })
  })
})

/** Every header that an answer may have: the gateway's own, and what servers put on any answer. */
const ours = new Set([
  ...['content-type', 'x-request-id', 'cache-control', 'x-content-type-options', 'vary', 'x-accel-buffering'],
  ...['retry-after', 'retry-after-ms', 'x-should-retry'],
  ...['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date', 'x-powered-by'],
])

function headOf(headers: Readonly<Record<string, string>>): object {
  return { ...headers, date: '', 'x-request-id': '' }
}
