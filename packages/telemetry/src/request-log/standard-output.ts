/** Where a process says things. */
export interface StandardOutput {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** That of this process; `undefined` in runtimes that have none. */
export function standardOutput(): StandardOutput | undefined {
  return (globalThis as { process?: { stdout?: StandardOutput } }).process?.stdout
}
