import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A vendor's answer, byte for byte. */
export interface Recording {
  /** `vendor/file` */
  readonly name: string
  readonly kind: 'whole' | 'stream' | 'error'
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array
}

const folder = new URL('../../../../shared/fixtures/', import.meta.url)

/** The vendors that answer in the protocol's own words. */
const vendors = [
  'alibaba',
  'anthropic-openai-compat',
  'azure',
  'cerebras',
  'copilot',
  'deepseek',
  'doubleword',
  'gpustack',
  'groq',
  'huggingface',
  'llamacpp',
  'mistral',
  'mistralrs',
  'moonshot',
  'ollama',
  'openai',
  'openrouter',
  'perplexity',
  'snowflake',
  'together',
  'venice',
  'vllm',
  'xai',
  'zai',
]

/** Whether the recordings are here: they are no part of the project. */
export const present = existsSync(folder)

/** Every recording that the protocol's own vendors made. */
export const recordings: readonly Recording[] = present ? vendors.flatMap(recordingsOf) : []

function recordingsOf(vendor: string): Recording[] {
  return readdirSync(new URL(`${vendor}/`, folder))
    .filter(file => !file.endsWith('.request.json'))
    .map(file => recordingOf(`${vendor}/${file}`, readFileSync(new URL(`${vendor}/${file}`, folder))))
}

function recordingOf(name: string, bytes: Buffer): Recording {
  const [, status] = /\.(\d{3})\.json$/.exec(name) ?? []
  if (status !== undefined || name.endsWith('parameter-error.json')) {
    return { name, kind: 'error', status: Number(status ?? 400), contentType: 'application/json', bytes }
  }
  const contentType = 'text/event-stream; charset=utf-8'
  if (name.endsWith('.sse')) return { name, kind: 'stream', status: 200, contentType, bytes }
  if (name.endsWith('.chunks.jsonl')) {
    // Of these only the payloads were kept.
    const lines = bytes
      .toString()
      .split('\n')
      .filter(line => line.trim() !== '')
    const text = [...lines, '[DONE]'].map(line => `data: ${line}\n\n`).join('')
    return { name, kind: 'stream', status: 200, contentType, bytes: Buffer.from(text) }
  }
  return { name, kind: 'whole', status: 200, contentType: 'application/json', bytes }
}
