import { type Adjustment, type ChatRequest, createGateway, models, UpstreamError } from '@sluice/core'
import type { Message, UpstreamRequest } from '@sluice/core/provider'
import { table } from './markdown-table.ts'
import { compatibleVendors, type DocumentedVendor, ownVendors } from './vendors.ts'

const result: Message = { role: 'tool', tool_call_id: 'call_00000001', content: '1' }
const png = 'data:image/png;base64,iVBORw0KGgo='
const user = (part: object): ChatRequest['messages'] => [
  { role: 'user', content: [{ type: 'text', text: 'Look.' }, part as never] },
]
const called = (type: 'function' | 'custom'): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [
    type === 'function'
      ? { id: 'call_00000001', type, function: { name: 'f', arguments: '{}' } }
      : { id: 'call_00000001', type, custom: { name: 'f', input: 'a' } },
  ],
})
const definition = { name: 'f', parameters: { type: 'object', properties: {} } }
const fn = { tools: [{ type: 'function', function: definition }] }
const hello: Message = { role: 'user', content: 'Hello' }
const reasoned = (more: object): ChatRequest['messages'] => [
  hello,
  { role: 'assistant', content: 'Hm.', ...more } as Message,
  hello,
]
const details = (format: string) => ({
  reasoning_details: [{ type: 'reasoning.text', text: 'hm', signature: 'c2ln', format, index: 0 }],
})

const link = user({ type: 'image_url', image_url: { url: 'https://there.test/a.png' } })
const signedCall = (more: object): ChatRequest['messages'] => [
  hello,
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_00000001', type: 'function', function: { name: 'f', arguments: '{}' }, ...more },
    ],
  } as Message,
  { role: 'tool', tool_call_id: 'call_00000001', content: '1' },
]

/** A request that holds some content, and the same request without it. */
interface Content {
  readonly held: object
  readonly without: object
  /** The content's path, where only a member of it may be adjusted. */
  readonly place?: string
}

/** What a conversation can hold. */
const contents: Readonly<Record<string, Content>> = {
  'an image as a data URL': part({ type: 'image_url', image_url: { url: png } }),
  'an image by URL': { held: { messages: link }, without: { messages: [hello] } },
  'an image by URL, with `fetchImage`': { held: { messages: link }, without: { messages: [hello] } },
  "an image's `detail`": {
    held: { messages: user({ type: 'image_url', image_url: { url: png, detail: 'low' } }) },
    without: { messages: user({ type: 'image_url', image_url: { url: png } }) },
  },
  'a PDF as a data URL': part({
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
  }),
  'a file by `file_id`': part({ type: 'file', file: { file_id: 'file-1' } }),
  'audio (WAV)': part({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
  'calls and results of function tools': {
    held: { ...fn, messages: [hello, called('function'), result] },
    without: { ...fn, messages: [hello] },
  },
  'custom tools': {
    held: { messages: [hello], tools: [{ type: 'custom', custom: { name: 'f' } }] },
    without: { messages: [hello] },
  },
  'calls of custom tools': {
    held: { ...fn, messages: [hello, called('custom'), result] },
    without: { ...fn, messages: [hello] },
  },
  'a system message after others': {
    held: { messages: [hello, { role: 'system', content: 'Be brief.' }, hello] },
    without: { messages: [hello, hello] },
  },
  "a user's `name`": { held: { messages: [{ ...hello, name: 'Ann' }] }, without: { messages: [hello] } },
  '`cache_control`': {
    held: { messages: text({ cache_control: { type: 'ephemeral' } }) },
    without: { messages: text({}) },
  },
  '`reasoning_content` alone': {
    held: { messages: reasoned({ reasoning_content: 'hm' }) },
    without: { messages: reasoned({}) },
  },
  "Claude's `reasoning_details`": {
    held: { messages: reasoned(details('anthropic-claude-v1')) },
    without: { messages: reasoned({}) },
  },
  "Gemini's `reasoning_details`": {
    held: { messages: reasoned(details('google-gemini-v1')) },
    without: { messages: reasoned({}) },
  },
  "Gemini's `extra_content`": {
    held: { ...fn, messages: signedCall({ extra_content: { google: { thought_signature: 'c2ln' } } }) },
    without: { ...fn, messages: signedCall({}) },
  },
}

function part(content: object): Content {
  return {
    held: { messages: user(content) },
    without: { messages: text({}) },
    place: 'messages[0].content[1]',
  }
}

function text(more: object): ChatRequest['messages'] {
  return [{ role: 'user', content: [{ type: 'text', text: 'Look.', ...more }] }]
}

/** The table of what becomes of contents: each vendor is asked for each, and what it would get is looked at. */
export async function contentTable(which: 'own' | 'compatible'): Promise<string> {
  const plain = which === 'own' ? ownVendors() : compatibleVendors()
  const fetching = which === 'own' ? ownVendors(true) : plain
  const anyFetches = plain.some(({ fetches }) => fetches)
  const rows = Object.keys(contents).filter(row => anyFetches || !row.includes('fetchImage'))
  const columns = plain.map(async (vendor, index) => {
    const cells = rows.map(row => {
      if (!row.includes('fetchImage')) return outcome(vendor, contents[row]!)
      return vendor.fetches ? outcome(fetching[index]!, contents[row]!) : 'no such option'
    })
    return [vendor.name, await Promise.all(cells)] as const
  })
  return table('Content', await Promise.all(columns), rows)
}

/** What becomes of a content. Throws where it is lost without a word. */
async function outcome(vendor: DocumentedVendor, { held, without, place }: Content): Promise<string> {
  const { request, adjustments } = await through(vendor, held)
  if (request === undefined) return 'refused'
  const other = await through(vendor, without)
  const before = other.adjustments.map(({ parameter }) => parameter)
  const told = adjustments.filter(({ parameter }) => !before.includes(parameter))
  if (told.length > 0) return told.map(adjustment => shown(adjustment, place)).join('; ')
  if (other.request?.body === request.body) throw new Error(`${vendor.name} loses ${JSON.stringify(held)}`)
  return 'sent'
}

function shown({ parameter, action, detail }: Adjustment, place: string | undefined): string {
  const done = detail === undefined ? action : `${action}: ${detail}`
  if (place === undefined || !parameter.startsWith(`${place}.`)) return done
  return `sent, \`${parameter.split('.').at(-1)}\` ${done}`
}

/** What a gateway in front of one vendor makes of a request: nothing leaves the process. */
async function through(
  { vendor, model, capabilities }: DocumentedVendor,
  fields: object,
): Promise<{ readonly request: UpstreamRequest | undefined; readonly adjustments: readonly Adjustment[] }> {
  let request: UpstreamRequest | undefined
  let adjustments: readonly Adjustment[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'me' }),
    route: models({ demo: vendor(model, capabilities) }),
    transport: async made => {
      request = made
      throw new UpstreamError('There is no vendor.', { kind: 'unreachable' })
    },
    observe: event => {
      if (event.type === 'end') adjustments = event.adjustments
    },
  })
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', max_tokens: 100, ...fields }),
  })
  if (request === undefined && response.status !== 400)
    throw new Error(`${vendor.provider.name}: ${response.status} ${await response.text()}`)
  return { request, adjustments }
}
