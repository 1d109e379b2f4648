import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Gateway } from '@sluice/core'
import { type RedactedKind, redact, redactedKinds } from '@sluice/hooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { figures, labelledTexts } from '../../packages/hooks/test/labelled-texts.ts'
import { type Asking, ask } from './runner/ask.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { root } from './runner/markdown.ts'

async function gatewayOf(snippet: Snippet, env = {}, edit?: (code: string) => string) {
  const { exports } = await snippet.run(env, edit)
  const { fetch } = exports.gateway as Gateway
  return (asking: Asking) => ask('http://sluice.test/v1', { fetch, key: 'sk-ann', ...asking })
}

describePage('docs/ready-made-hooks.md', {
  redact: async snippet => {
    const asking = await gatewayOf(snippet)
    const content = 'I am ann@example.com, C-123456, and not C-1234567'
    for (const stream of [false, true]) {
      expect((await asking({ model: 'echo', content, stream })).text).toContain(content)
    }
    const without = await gatewayOf(snippet, {}, code => code.replace('redact({', 'redact({ restore: false,'))
    expect((await without({ model: 'echo', content })).text).toContain(
      'I am [EMAIL_1], [CUSTOMER_1], and not C-1234567',
    )
  },

  'system-prompt': async snippet => {
    expect(await (await gatewayOf(snippet))({})).toMatchObject({ status: 200 })
  },

  'require-json': async snippet => {
    const asking = await gatewayOf(snippet)
    expect(await asking({ model: 'echo', content: '```json\n{"city":"Bonn"}\n```' })).toMatchObject({
      status: 200,
    })
    expect(await asking({ model: 'echo', content: '```json\n{"town":"Bonn"}\n```' })).toMatchObject({
      status: 400,
    })
    expect(await asking({ model: 'echo', content: 'Bonn' })).toMatchObject({ code: 'refused_by_policy' })
  },

  webhook: async (snippet, others) => {
    const secret = 'the-secret-of-the-page'
    const { isFromSluice } = (await others('verify').run()).exports as {
      isFromSluice: (headers: Headers, body: string, secret: string) => boolean
    }
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (bytes: Buffer) => {
        body += bytes.toString('utf8')
      })
      request.on('end', () => {
        const headers = new Headers(request.headers as Record<string, string>)
        const isKnown = isFromSluice(headers, body, secret) && !isFromSluice(headers, body, `${secret}!`)
        const isRefused = !isKnown || body.includes('bad')
        response.end(JSON.stringify(isRefused ? { refuse: { message: 'No.' } } : { allow: true }))
      })
    }).listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    onTestFinished(() => void server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const asking = await gatewayOf(snippet, { WEBHOOK_URL: url, WEBHOOK_SECRET: secret })
    expect(await asking({})).toMatchObject({ status: 200 })
    expect(await asking({ content: 'a bad one' })).toMatchObject({ code: 'refused_by_policy' })
  },

  verify: async ({ run }) => {
    expect((await run()).exports.isFromSluice).toBeTypeOf('function')
  },
})

describe('the figures of redaction', () => {
  it('has the hold-back of each kind', () => {
    const holdBack = (kind: RedactedKind) => redact({ kinds: [kind], direction: 'response' }).holdBack
    const { email, secret, phone, iban, card } = Object.fromEntries(
      redactedKinds.map(kind => [kind, holdBack(kind)]),
    )
    expect(page.replaceAll('\n', ' ')).toContain(
      `${email} characters for \`email\`, ${secret} for \`secret\`, ${phone} for \`phone\`, ${iban} for \`iban\` and ${card} for \`card\`; ${redact().holdBack} otherwise`,
    )
  })

  const page = readFileSync(join(root, 'docs/ready-made-hooks.md'), 'utf8')
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`

  it('are measured', () => {
    const rows = figures().map(
      ({ kind, values, recall, precision }) =>
        `| \`${kind}\` | ${values} | ${percent(recall)} | ${percent(precision)} |`,
    )
    expect(page).toContain(
      ['| Kind | Values | Recall | Precision |', '|---|---|---|---|', ...rows].join('\n'),
    )
    const values = labelledTexts.flatMap(({ spans }) => spans).length
    expect(page).toContain(`a labelled set of ${labelledTexts.length} texts, with ${values} values`)
  })
})
