/** The server said no, or nothing. `message` is for people. */
export class Refusal extends Error {
  /** 0 where there was no answer. */
  readonly status: number

  constructor(message: string, status: number) {
    super(message)
    this.status = status
  }
}

/** The refusal that an answer is: in its own words where it has the protocol's shape. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text().catch(() => '')
  return new Refusal(toldBy(text) ?? `The server answered ${response.status}.`, response.status)
}

/** The message of an error in the protocol's shape. */
export function toldBy(text: string): string | undefined {
  try {
    const { error }: { error?: { message?: unknown } } = JSON.parse(text)
    return typeof error?.message === 'string' ? error.message : undefined
  } catch {
    return undefined
  }
}
