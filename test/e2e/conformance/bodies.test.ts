import { connectRawClient, requestBytes } from '@sluice/testing'
import { expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { base, headersOf, type Site } from './site.ts'
import { testGateway } from './test-gateway.ts'

const notJson = { code: null, param: null, message: /^We could not parse the JSON body of your request\./ }
const maxBytes = 50_000

overMounts(
  () => testGateway({}, { requestLimits: { maxBytes } }),
  site => {
    it.each(['{', '{"model":}', '{"a":1}}', 'nonsense', '\u0000'])('C42 cannot parse %j', async body => {
      expectError(await site.chat({}, { body }), 400, notJson)
    })

    it('C43 cannot parse nothing', async () => {
      expectError(await site.chat({}, { body: '' }), 400, notJson)
      const headers = { 'content-type': 'application/json' }
      expectError(await site.send('/chat/completions', { method: 'POST', headers }), 400, notJson)
    })

    it.each(['[]', '"x"', '7', 'null', 'true'])('C44 wants an object, not %s', async body => {
      expectError(await site.chat({}, { body }), 400, notJson)
    })

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', 'multipart/form-data'])(
      'C45 takes no %s',
      async type => {
        const answer = await site.chat({}, { headers: { 'content-type': type } })
        expectError(answer, 400, {
          code: 'unsupported_content_type',
          param: null,
          message: new RegExp(`^Unsupported content type: '${type}'`),
        })
      },
    )

    it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'])(
      'C46 takes %s',
      async type => {
        expect((await site.chat({}, { headers: { 'content-type': type } })).status).toBe(200)
      },
    )

    it('C80 refuses a body that says it is too long', async () => {
      const body = JSON.stringify({ ...base, user: 'x'.repeat(maxBytes) })
      const answer = await site.chat({}, { body })
      expectError(answer, 413, { message: /^Maximum content size limit \(50000\) exceeded/ })
      await staysUsable(
        site,
        requestBytes({ path: site.pathOf('/chat/completions'), headers: headersOf({}), body }),
      )
    })

    it('C80 refuses a body that grows too long', async () => {
      const piece = `${(1000).toString(16)}\r\n${'x'.repeat(1000)}\r\n`
      const text = `POST ${site.pathOf('/chat/completions')} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer good-key\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${piece.repeat(100)}0\r\n\r\n`
      await staysUsable(site, text)
    })
  },
)

/** After a 413 the connection is either closed in good order or good for another request. */
async function staysUsable(site: Site, request: string | Uint8Array): Promise<void> {
  const client = await connectRawClient({ port: site.port })
  try {
    await client.send(request).catch(() => {})
    const refused = await client.response()
    expect(refused?.status).toBe(413)
    expect(refused?.complete).toBe(true)
    expect(refused?.json).toMatchObject({ error: { type: 'invalid_request_error', code: null } })
    if (refused?.headers.connection === 'close') {
      expect(await client.waitForEnd()).toBe('end')
    } else {
      const path = site.pathOf('/chat/completions')
      await client.send(requestBytes({ path, headers: headersOf({}), body: base }))
      expect((await client.response())?.status).toBe(200)
    }
  } finally {
    await client.close()
  }
}
