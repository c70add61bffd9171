import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';

/** What the HTTP server has to know about its responses. A Fastify hook would cost more time for each response. */
export type ResponseObserver = {
  /** Returns whether the connection is to be closed after a response. */
  readonly isFinal: (response: ServerResponse) => boolean;
  /** Is called with an ended response that the system could not take completely, and the number of bytes that wait. */
  readonly onUnsent: (response: ServerResponse, bytes: number) => void;
};

/** Returns the class of the responses of a server. */
export function responseClass({ isFinal, onUnsent }: ResponseObserver): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(
      status: number,
      reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      if (isFinal(this)) this.shouldKeepAlive = false;
      // Node distinguishes the overloads by the type of the second argument.
      return super.writeHead(status, reasonOrHeaders as string, headers);
    }

    override end(...args: readonly unknown[]): this {
      super.end(...(args as []));
      const bytes = this.req.socket.writableLength;
      if (bytes > 0) onUnsent(this, bytes);
      return this;
    }
  };
}
