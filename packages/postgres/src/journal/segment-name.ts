/** The contents of a segment's name: its age and its owner. */
export interface SegmentName {
  /** Milliseconds since 1970 of its first line. It stays when another process takes the file over. */
  readonly madeAt: number
  /** Apart from others of the same owner. */
  readonly serial: number
  /** A digest of the machine's name: process ids mean nothing on another one. */
  readonly host: string
  readonly pid: number
  /** The journal, for a container gives the next process the same id. */
  readonly journal: string
}

const form = /^(\d{1,16})-(\d{1,9})\.([0-9a-f]{8})-(\d{1,10})-([0-9a-f-]{36})\.jsonl$/

export function segmentFileName({ madeAt, serial, host, pid, journal }: SegmentName): string {
  return `${String(madeAt).padStart(13, '0')}-${serial}.${host}-${pid}-${journal}.jsonl`
}

/** `undefined` for a file that is no segment. */
export function parseSegmentName(file: string): SegmentName | undefined {
  const parts = form.exec(file)
  if (parts === null) return undefined
  const [, madeAt, serial, host = '', pid, journal = ''] = parts
  return { madeAt: Number(madeAt), serial: Number(serial), host, pid: Number(pid), journal }
}
