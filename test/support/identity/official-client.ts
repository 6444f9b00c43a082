import type { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { oauthAgent } from "./oauth-agent.ts";

/** An official library for clients, of any version. */
type Library = Readonly<{ Client: unknown; StreamableHTTPClientTransport: unknown }>;
type Parts = Readonly<{
  memory: ReturnType<typeof oauthAgent>;
  url: string;
  library: Library;
  isOld: boolean;
}>;

/** An app made with an official library, given only the address. */
export function officialClient({ memory, url, library, isOld }: Parts) {
  // All versions take the same calls, and their types disagree.
  const { Client: AnyClient, StreamableHTTPClientTransport: Transport } = library as {
    Client: typeof Client;
    StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  };
  let transport = new Transport(new URL(url), { authProvider: memory as never });

  /** Connects anew, as an app does at its start. */
  async function connect(): Promise<Client> {
    const client = new AnyClient({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
    transport = new Transport(new URL(url), { authProvider: memory as never });
    await client.connect(transport);
    return client;
  }
  /** Finishes the sign-in after the browser has come back. Versions before 2 take only the code. */
  const finish = () =>
    isOld ? transport.finishAuth(memory.came().get("code") ?? "") : transport.finishAuth(memory.came());
  return {
    connect,
    finish,
    async signIn(): Promise<void> {
      const refused = await connect().then(
        () => undefined,
        (error: Error) => error,
      );
      if (!refused) throw new Error("This app was signed in before.");
      await finish();
    },
  };
}
