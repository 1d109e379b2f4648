import { readdirSync, readFileSync } from 'node:fs'
import { present, type Recording as WireRecording } from '../../../../../test/e2e/replay/recordings.ts'
import { eventFrame } from './event-frames.ts'

export { present }

/** The vendors that answer in a wire protocol of their own, or in a dialect that needs a provider of its own. */
export const vendorNames = ['anthropic', 'bedrock', 'gemini', 'vertex', 'azure'] as const

export type VendorName = (typeof vendorNames)[number]

/** A vendor's answer as it was recorded, with the framing that its storage left out. */
export interface Recording extends WireRecording {
  readonly vendor: VendorName
  /** Without the vendor: `text-stream.sse`. */
  readonly file: string
}

/** A vendor's request as it was recorded. */
export interface RecordedAsk {
  /** `vendor/file`, without `.request.json`. */
  readonly name: string
  readonly vendor: VendorName
  readonly body: Record<string, unknown>
}

const folder = new URL('../../../../../../shared/fixtures/', import.meta.url)
const suffix = '.request.json'

const binary = 'application/vnd.amazon.eventstream'

/** What the name of a file does not tell. */
const special: Readonly<Record<string, Partial<Recording>>> = {
  'gemini/aisdk-google-429-retry-info.json': { kind: 'error', status: 429 },
  // A stream as Google sends it to those who did not ask for events.
  'gemini/text-stream-json-array.json': { kind: 'stream' },
}

/** Every recorded answer of these vendors. None where the recordings are not there. */
export const recordings: readonly Recording[] = filesOf(file => !file.endsWith(suffix)).map(recordingOf)

/** Every recorded request of these vendors. */
export const recordedAsks: readonly RecordedAsk[] = filesOf(file => file.endsWith(suffix)).map(
  ({ vendor, file, bytes }) => ({
    name: `${vendor}/${file.slice(0, -suffix.length)}`,
    vendor,
    body: JSON.parse(bytes.toString()) as Record<string, unknown>,
  }),
)

interface StoredFile {
  readonly vendor: VendorName
  readonly file: string
  readonly bytes: Buffer
}

function filesOf(vendor: (file: string) => boolean): StoredFile[] {
  if (!present) return []
  return vendorNames.flatMap(name =>
    readdirSync(new URL(`${name}/`, folder))
      .filter(vendor)
      .map(file => ({ vendor: name, file, bytes: readFileSync(new URL(`${name}/${file}`, folder)) })),
  )
}

function recordingOf({ vendor, file, bytes }: StoredFile): Recording {
  const name = `${vendor}/${file}`
  const [, status] = /\.(\d{3})\.(?:json|sse)$/.exec(file) ?? []
  const wire = {
    name,
    vendor,
    file,
    kind: status === undefined ? ('whole' as const) : ('error' as const),
    status: Number(status ?? 200),
    contentType: 'application/json',
    bytes,
  }
  const kind = status === undefined ? 'stream' : 'error'
  if (file.endsWith('.sse')) return { ...wire, kind, contentType: 'text/event-stream', ...special[name] }
  if (file.endsWith('.eventstream.bin')) return { ...wire, kind, contentType: binary, ...special[name] }
  if (file.endsWith('.chunks.jsonl')) return { ...wire, kind, ...framed(vendor, bytes), ...special[name] }
  return { ...wire, ...special[name] }
}

/** Of these only the payloads were kept, one in each line: here they get their vendor's framing back. */
function framed(vendor: VendorName, stored: Buffer): Pick<Recording, 'contentType' | 'bytes'> {
  const lines = stored
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '')
  if (vendor === 'bedrock') {
    const frames = lines.flatMap(line => Object.entries(JSON.parse(line) as Record<string, unknown>))
    return {
      contentType: binary,
      bytes: Buffer.concat(frames.map(([type, payload]) => eventFrame(type, payload))),
    }
  }
  const text = {
    anthropic: () => lines.map(line => `event: ${JSON.parse(line).type}\ndata: ${line}\n\n`),
    gemini: () => lines.map(line => `data: ${line}\r\n\r\n`),
    vertex: () => lines.map(line => `data: ${line}\r\n\r\n`),
    azure: () => [...lines, '[DONE]'].map(line => `data: ${line}\n\n`),
  }[vendor]()
  return { contentType: 'text/event-stream', bytes: Buffer.from(text.join('')) }
}
