import { crc32 } from 'node:zlib'
import { bedrock } from '@sluice/providers'
import { type Family, halves, json, type Saying, used } from './family.ts'

interface Block {
  readonly text?: string
  readonly image?: { readonly format: string }
  readonly document?: { readonly format: string }
  readonly toolResult?: { readonly content: readonly Block[] }
  readonly reasoningContent?: { readonly reasoningText?: { readonly signature?: string } }
  readonly json?: unknown
}

interface ToolConfig {
  readonly tools: readonly { readonly toolSpec?: { readonly name: string } }[]
  readonly toolChoice?: { readonly tool?: { readonly name: string } }
}

const usage = {
  inputTokens: used.prompt - used.cached,
  outputTokens: used.completion,
  totalTokens: used.prompt + used.completion,
  cacheReadInputTokens: used.cached,
}

/** The Converse API of Bedrock. */
export const bedrockFamily: Family = {
  name: 'bedrock',
  question(body, path) {
    const messages = body.messages as readonly { role: string; content: readonly Block[] }[]
    const last = messages.at(-1)!.content
    const blocks = messages.flatMap(({ content }) => content)
    const inside = blocks.flatMap(block => [block, ...(block.toolResult?.content ?? [])])
    const config = body.toolConfig as ToolConfig | undefined
    return {
      text: last.map(({ text }) => text ?? '').join(''),
      results: last.flatMap(({ toolResult }) =>
        toolResult === undefined
          ? []
          : [toolResult.content.map(({ text, json }) => text ?? JSON.stringify(json)).join('')],
      ),
      tools: (config?.tools ?? []).flatMap(({ toolSpec }) => (toolSpec === undefined ? [] : [toolSpec.name])),
      // The provider asks an unknown model for it by a tool that has to be called.
      wantsJson: config?.toolChoice?.tool?.name === 'json',
      stream: path.endsWith('/converse-stream'),
      media: inside.flatMap(({ image, document }) =>
        (image ?? document) ? [`${image ? 'image' : 'document'}/${(image ?? document)!.format}`] : [],
      ),
      signatures: blocks.flatMap(({ reasoningContent }) => reasoningContent?.reasoningText?.signature ?? []),
    }
  },
  answer(saying, stream) {
    const stopReason = saying.calls === undefined ? 'end_turn' : 'tool_use'
    if (!stream) {
      const output = { message: { role: 'assistant', content: contentOf(saying) } }
      return json(200, { output, stopReason, usage, metrics: { latencyMs: 1 } })
    }
    const frames = [
      frame('messageStart', { role: 'assistant' }),
      ...contentOf(saying).flatMap(blockFrames),
      frame('messageStop', { stopReason }),
      frame('metadata', { usage, metrics: { latencyMs: 1 } }),
    ]
    const headers = { 'content-type': 'application/vnd.amazon.eventstream' }
    return { status: 200, headers, body: Buffer.concat(frames) }
  },
  error: (status, message) => json(status, { message }, { 'x-amzn-errortype': 'ValidationException' }),
  entry: baseURL => bedrock({ region: 'us-east-1', bearerToken: 'vendor-key', baseURL })('model'),
}

interface Content {
  readonly text?: string
  readonly reasoningContent?: {
    readonly reasoningText: { readonly text: string; readonly signature: string }
  }
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: object }
}

function contentOf({ thought, text, calls }: Saying): Content[] {
  return [
    ...(thought === undefined ? [] : [{ reasoningContent: { reasoningText: thought } }]),
    ...(text === undefined ? [] : [{ text }]),
    ...(calls ?? []).map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
  ]
}

function blockFrames({ text, reasoningContent, toolUse }: Content, contentBlockIndex: number): Uint8Array[] {
  const delta = (data: object) => frame('contentBlockDelta', { contentBlockIndex, delta: data })
  const stop = frame('contentBlockStop', { contentBlockIndex })
  if (reasoningContent !== undefined) {
    const { reasoningText } = reasoningContent
    return [
      ...halves(reasoningText.text).map(half => delta({ reasoningContent: { text: half } })),
      delta({ reasoningContent: { signature: reasoningText.signature } }),
      stop,
    ]
  }
  if (toolUse === undefined) return [...halves(text ?? '').map(half => delta({ text: half })), stop]
  const { toolUseId, name, input } = toolUse
  return [
    frame('contentBlockStart', { contentBlockIndex, start: { toolUse: { toolUseId, name } } }),
    ...halves(JSON.stringify(input)).map(half => delta({ toolUse: { input: half } })),
    stop,
  ]
}

/** One message of `application/vnd.amazon.eventstream`: prelude, headers, payload, each with its checksum. */
function frame(type: string, data: object): Uint8Array {
  const headers = Buffer.concat([
    header(':message-type', 'event'),
    header(':event-type', type),
    header(':content-type', 'application/json'),
  ])
  const payload = Buffer.from(JSON.stringify(data))
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(headers.length + payload.length + 16, 0)
  prelude.writeUInt32BE(headers.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, headers, payload])
  return Buffer.concat([message, uint32(crc32(message))])
}

function header(name: string, value: string): Uint8Array {
  const stringType = 7
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([stringType]),
    length,
    Buffer.from(value),
  ])
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
