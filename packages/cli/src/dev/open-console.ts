import type { CommandContext } from '../command.ts'
import { type OneTimeRedirect, oneTimeRedirect } from './one-time-redirect.ts'

/** Opens the console in the browser. */
export interface ConsoleOpener {
  /** Opens it. Where that is not possible, says so with the URL. Never rejects. */
  open(): Promise<void>
  /** Ends the redirects that no browser has followed. */
  close(): void
}

/** Opens a console whose URL may have an admin key. Without a console, `open` says how to get one. */
export function consoleOpener(
  url: string | undefined,
  { openUrl, log }: Pick<CommandContext, 'openUrl' | 'log'>,
): ConsoleOpener {
  const redirects: OneTimeRedirect[] = []
  return {
    open: async () => {
      if (url === undefined) {
        log('There is no console to open: it is turned off by --no-console or by the configuration.')
        return
      }
      try {
        const redirect = await oneTimeRedirect(url)
        redirects.push(redirect)
        await openUrl(redirect.url)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        log(`Cannot open a browser${code === undefined ? '' : ` (${code})`}. Open ${url}`)
      }
    },
    close: () => {
      for (const redirect of redirects) redirect.close()
    },
  }
}
