import { expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const unknownModel = {
  code: 'model_not_found',
  param: null,
  message: 'The model `nope` does not exist or you do not have access to it.',
}

overMounts(testGateway, site => {
  it('C32 does not know a model', async () => {
    expectError(await site.chat({ model: 'nope' }), 404, unknownModel)
  })

  it('C33 does not know a model, also where a stream is asked for', async () => {
    expectError(await site.chat({ model: 'nope', stream: true }), 404, unknownModel)
  })

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('C82 refuses %s for completions', async method => {
    const answer = await site.send('/chat/completions', { method })
    expectError(answer, 405, {
      code: 'method_not_supported',
      message: new RegExp(`^Not allowed to ${method} on `),
    })
    expect(answer.headers.allow).toBe('POST')
  })

  it('C83 knows no other path', async () => {
    const answer = await site.get('/nope')
    expectError(answer, 404, {
      code: null,
      param: null,
      message: `Invalid URL (GET ${site.pathOf('/nope')})`,
    })
    expectError(await site.get('/chat/completions/chatcmpl-1'), 404)
    expectError(await site.get('/models/%zz'), 404)
  })

  it('C84 answers nothing outside its base', async () => {
    for (const path of ['//chat/completions', '//v2/chat/completions', '//v1x/chat/completions']) {
      expect((await site.send(path, { method: 'POST', body: '{}' })).status, path).toBe(404)
    }
  })

  it('C116 looks for the model before it looks at the rest', async () => {
    expectError(await site.chat({ model: 'nope', temperature: 9 }), 404, unknownModel)
  })
})
