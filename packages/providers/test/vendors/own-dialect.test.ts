import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialogue } from '../../../../examples/own-dialect/dialogue.ts'
import { openPlaces, placeNames } from './conversation/places.ts'

// The dialect of the page "Writing a dialect", over every provider, whole and streamed.

interface Line {
  readonly says?: string
  readonly does?: { readonly call?: string; readonly action?: string; readonly with?: string }
}
interface Told {
  readonly id: string
  readonly by: string
  readonly lines: readonly Line[]
  readonly ended: string
  readonly tokens: { readonly in: number; readonly out: number }
}

let open: Awaited<ReturnType<typeof openPlaces>>
beforeAll(async () => {
  open = await openPlaces([dialogue])
})
afterAll(() => open.close())

function post(body: object, key = 'good-key'): Promise<Response> {
  return fetch(`${open.baseURL}/dialogue`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
}

async function whole(body: object): Promise<Told> {
  const response = await post(body)
  expect(response.status).toBe(200)
  return (await response.json()) as Told
}

async function streamed(body: object): Promise<Told> {
  const response = await post({ ...body, live: true })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const events = (await response.text())
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => JSON.parse(event.slice('data: '.length)) as object)
  const [head, ...rest] = events
  return Object.assign({}, head, rest.at(-1), { lines: rest.slice(0, -1) }) as unknown as Told
}

const said = ({ lines }: Told) => lines.map(({ says = '' }) => says).join('')

/** Joins the pieces of each call. */
function done({ lines }: Told): { readonly call: string; readonly action: string; readonly with: object }[] {
  const calls: { call: string; action: string; text: string }[] = []
  for (const { does } of lines) {
    if (does?.call !== undefined) calls.push({ call: does.call, action: does.action ?? '', text: '' })
    if (does !== undefined) calls.at(-1)!.text += does.with ?? ''
  }
  return calls.map(({ call, action, text }) => ({ call, action, with: JSON.parse(text) as object }))
}

const actions = [{ name: 'get_weather', takes: { type: 'object', properties: { city: { type: 'string' } } } }]

describe.each(placeNames)('a dialogue with %s', model => {
  describe.each([
    ['whole', whole],
    ['streamed', streamed],
  ])('%s', (_, ask) => {
    it('has its rules and its turns, and tells what it cost', async () => {
      const told = await ask({
        model,
        lines: [
          { who: 'rule', says: 'Be brief.' },
          { who: 'me', says: 'Hello!' },
          { who: 'you', says: 'Hi.' },
          { who: 'me', says: 'How are you?' },
        ],
      })
      expect(said(told)).toBe('system: Be brief. / user: Hello! / assistant: Hi. / user: How are you?')
      expect(told).toMatchObject({ by: model, ended: 'done', id: expect.stringMatching(/^dialogue_./) })
      expect(told.tokens.in).toBe(100)
    })

    it('acts, and goes on with what came of it', async () => {
      const question = { who: 'me', says: 'Weather in Paris and Oslo?' }
      const acting = await ask({ model, lines: [question], actions })
      expect(acting.ended).toBe('acts')
      const calls = done(acting)
      expect(calls.map(({ action, with: input }) => [action, input])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_weather', { city: 'Oslo' }],
      ])
      const [paris, oslo] = calls
      const lines = [
        question,
        { who: 'you', did: calls.map(call => ({ ...call, with: JSON.stringify(call.with) })) },
        { who: 'action', call: paris!.call, says: '20 degrees' },
        { who: 'action', call: oslo!.call, says: '9 degrees' },
      ]
      expect(said(await ask({ model, lines, actions }))).toBe('The tools say: 20 degrees; 9 degrees.')
    })

    it('is cut where it gets too long', async () => {
      const told = await ask({ model, lines: [{ who: 'me', says: 'Count to twenty.' }], longest: 3 })
      expect([told.ended, said(told)]).toEqual(['cut', 'one two three'])
    })

    it('tells of a vendor that fails in its own words', async () => {
      const response = await post({
        model,
        live: ask === streamed,
        lines: [{ who: 'me', says: 'fail: overloaded' }],
      })
      expect(response.status).toBe(503)
      expect(Object.keys((await response.json()) as object)).toEqual(['wrong'])
    })
  })

  it('ends a stream that breaks with what went wrong', async () => {
    const response = await post({ model, live: true, lines: [{ who: 'me', says: 'fail: midway' }] })
    const last = (await response.text()).trim().split('\n\n').at(-1)!
    expect(Object.keys(JSON.parse(last.slice('data: '.length)) as object)).toEqual(['wrong'])
  })
})

describe('a dialogue', () => {
  const model = 'openai'

  it.each([
    [{ model }, 'lines'],
    [{ model, lines: [{ who: 'nobody' }] }, 'lines[0].who'],
    [{ model, lines: [{ who: 'me', says: 7 }] }, 'lines[0].says'],
    [{ model, lines: [{ who: 'me', says: 'Hi' }], longest: 'long' }, 'longest'],
  ])('names the field that is wrong: %j', async (body, at) => {
    const response = await post(body)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ wrong: expect.stringContaining(`'${at}'`), at })
  })

  it('has errors of its own shape where nothing of it was read', async () => {
    const lines = [{ who: 'me', says: 'Hi' }]
    const unknown = await post({ model, lines }, 'bad-key')
    expect([unknown.status, Object.keys((await unknown.json()) as object)]).toEqual([401, ['wrong']])
    const missing = await fetch(`${open.baseURL}/dialogue/more`)
    expect([missing.status, Object.keys((await missing.json()) as object)]).toEqual([404, ['wrong']])
    const wrongMethod = await fetch(`${open.baseURL}/dialogue`)
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('leaves chat completions as they are', async () => {
    const response = await fetch(`${open.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer good-key' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  })
})
