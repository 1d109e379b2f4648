import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Where the browser is: `CHROMIUM_PATH`, or where systems put it; `undefined` where there is none. */
export const chromiumPath: string | undefined = process.env.CHROMIUM_PATH ?? places.find(existsSync)

/** Starts it. It talks to nobody by itself. */
export function startChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium on this machine.')
  return chromium.launch({
    executablePath: chromiumPath,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
