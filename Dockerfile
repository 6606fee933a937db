# A record server in a container: docker build --tag parhelion .
# Documentation/Server/Operations.md says how to run it.

ARG SWIFT=6.3.1
ARG DEBIAN=bookworm

FROM swift:${SWIFT}-${DEBIAN} AS build
WORKDIR /source
COPY Scripts/setup Scripts/setup
RUN Scripts/setup
COPY . .
# Swift's libraries are linked statically, so the last stage needs only Debian's libraries.
RUN swift build --configuration release --static-swift-stdlib --product parhelion \
 && binaries=$(swift build --configuration release --static-swift-stdlib --show-bin-path) \
 && install -D --strip "$binaries/parhelion" /out/parhelion

FROM debian:${DEBIAN}-slim
RUN apt-get update \
 && apt-get install --yes --no-install-recommends \
    libcurl4 libsodium23 libsqlite3-0 libssl3 libstdc++6 zlib1g \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o 10001 -g 10001 -m 700 /var/lib/parhelion
COPY --from=build /out/parhelion /usr/local/bin/parhelion
# Fails if a library is missing.
RUN parhelion --version
USER 10001:10001
VOLUME /var/lib/parhelion
EXPOSE 8080
# After SIGTERM the server finishes its open requests within 30 seconds: use a stop timeout of 40.
STOPSIGNAL SIGTERM
# The check uses Bash's own connections, which have no TLS. If the server uses TLS, run the image
# with --no-healthcheck.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["bash", "-c", \
  "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /ready HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r line <&3 && [[ $line == *' 200 '* ]]"]
# Other commands find the server's folder by this variable too: docker exec NAME parhelion user list
ENV XDG_DATA_HOME=/var/lib
ENTRYPOINT ["parhelion"]
CMD ["serve", "--host", "0.0.0.0"]
