import { execFile, execFileSync } from 'node:child_process'

/** Whether there is curl on this machine. Where there is none, what needs it is skipped. */
export const hasCurl = works('curl', ['--version'])

/** Runs a line as a POSIX shell does; resolves with what it printed. Rejects where it fails. */
export function shell(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile('sh', ['-c', line], { timeout: 15_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout)
      else reject(new Error(`${line}\nended with ${error.code}: ${stderr}`))
    })
  })
}

function works(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
