import { spawn } from 'node:child_process'

/** What a platform starts to open a URL in the browser. */
interface OpenCommand {
  readonly program: string
  readonly args: readonly string[]
  /** Whether Windows receives the arguments as they are. */
  readonly verbatim: boolean
}

/** Returns the program that opens a URL in the browser, with its arguments. */
export function openCommand(platform: NodeJS.Platform, url: string): OpenCommand {
  if (platform === 'darwin') return { program: 'open', args: [url], verbatim: false }
  if (platform === 'win32') {
    return { program: 'cmd', args: ['/d', '/s', '/c', `"start "" "${url}""`], verbatim: true }
  }
  return { program: 'xdg-open', args: [url], verbatim: false }
}

/** Opens a URL in the browser. Rejects with an error if the program cannot be started or fails at once. */
export function openUrl(platform: NodeJS.Platform, url: string): Promise<void> {
  const { program, args, verbatim } = openCommand(platform, new URL(url).href)
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      detached: true,
      stdio: 'ignore',
      windowsVerbatimArguments: verbatim,
    })
    child.once('error', reject)
    child.once('exit', code => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${code}`))
    })
    child.unref()
  })
}
