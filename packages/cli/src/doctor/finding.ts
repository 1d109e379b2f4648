/** What one check of `sluice doctor` found. Contains no key, no password, and no URL with credentials. */
export interface Finding {
  /** What was checked, such as `Node.js` or `provider openai`. */
  readonly check: string
  readonly status: 'ok' | 'warning' | 'error'
  readonly message: string
  /** How to fix it. Each warning and error has one. */
  readonly fix?: string
}

/** Returns a finding without a problem. */
export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message }
}

/** Returns a finding that need not stop a gateway. */
export function warning(check: string, message: string, fix: string): Finding {
  return { check, status: 'warning', message, fix }
}

/** Returns a finding with which a gateway does not work. */
export function error(check: string, message: string, fix: string): Finding {
  return { check, status: 'error', message, fix }
}

/** Returns the finding of an error of the command line. What its message says to do is the fix, else `fix` is. */
export function ofCommandError(check: string, { message }: Error, fix: string): Finding {
  const [problem = '', ...steps] = message.split(/\n| (?=Run: )/)
  return error(check, problem, steps.join('. ') || fix)
}
