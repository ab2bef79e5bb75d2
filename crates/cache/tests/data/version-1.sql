-- A cache as version 1 of the schema made it, with a note of two chunks.
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE vault_file (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    hash BLOB NOT NULL,
    fate TEXT NOT NULL,
    reason TEXT
) WITHOUT ROWID;

CREATE TABLE vault_node (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    author TEXT,
    published_at INTEGER,
    modified_at INTEGER,
    valid_from INTEGER,
    valid_until INTEGER,
    kind TEXT,
    tags TEXT NOT NULL,
    aliases TEXT NOT NULL,
    evergreen INTEGER NOT NULL,
    permalink TEXT,
    problems TEXT NOT NULL
);

CREATE TABLE vault_chunk (
    id INTEGER PRIMARY KEY,
    node INTEGER NOT NULL REFERENCES vault_node (id),
    ordinal INTEGER NOT NULL,
    section TEXT NOT NULL,
    heading_context TEXT NOT NULL,
    text TEXT NOT NULL,
    page INTEGER,
    embedding BLOB,
    UNIQUE (node, ordinal)
);

CREATE VIRTUAL TABLE vault_chunk_fts USING fts5 (
    text, section, heading_context,
    content = 'vault_chunk', content_rowid = 'id',
    tokenize = 'porter unicode61'
);
-- A content table does not tell FTS5 of its changes by itself, and an index that was not
-- told answers with rows that are gone.
CREATE TRIGGER vault_chunk_inserted AFTER INSERT ON vault_chunk BEGIN
    INSERT INTO vault_chunk_fts (rowid, text, section, heading_context)
    VALUES (new.id, new.text, new.section, new.heading_context);
END;
CREATE TRIGGER vault_chunk_deleted AFTER DELETE ON vault_chunk BEGIN
    INSERT INTO vault_chunk_fts (vault_chunk_fts, rowid, text, section, heading_context)
    VALUES ('delete', old.id, old.text, old.section, old.heading_context);
END;

CREATE TABLE vault_sentence (
    chunk INTEGER NOT NULL REFERENCES vault_chunk (id),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    vector BLOB,
    PRIMARY KEY (chunk, ordinal)
) WITHOUT ROWID;

CREATE TABLE vault_link (
    node INTEGER NOT NULL REFERENCES vault_node (id),
    ordinal INTEGER NOT NULL,
    target TEXT NOT NULL,
    syntax TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (node, ordinal)
) WITHOUT ROWID;

CREATE TABLE vault_edge (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (source, target, kind)
) WITHOUT ROWID;
CREATE INDEX vault_edge_target ON vault_edge (target);
CREATE VIRTUAL TABLE vault_chunk_vec USING vec0 (
    id INTEGER PRIMARY KEY,
    embedding float[4] distance_metric=cosine
);
INSERT INTO meta (key, value) VALUES ('model', 'test-model'), ('dimension', '4'), ('chunker', 'h2');
INSERT INTO vault_file (path, size, modified_ns, hash, fate)
VALUES ('a.md', 1, 1, zeroblob(32), 'indexed');
INSERT INTO vault_node (id, path, title, tags, aliases, evergreen, problems)
VALUES (2, 'a.md', 'A', '[]', '[]', 0, '[]');
INSERT INTO vault_chunk (id, node, ordinal, section, heading_context, text, page, embedding)
VALUES (5, 2, 0, 'Section', 'A', 'One. Two.', 3, x'0000803f000000000000000000000000'),
       (9, 2, 1, 'Section', 'A', 'Six. Ten.', NULL, x'000000000000803f0000000000000000');
INSERT INTO vault_chunk_vec (id, embedding) SELECT id, embedding FROM vault_chunk;
-- A scale (float32) and a signed byte a number.
INSERT INTO vault_sentence (chunk, ordinal, start, end, vector)
VALUES (5, 0, 0, 4, x'0402013c7f000000'), (5, 1, 5, 9, x'0402013c00810000'),
       (9, 0, 0, 4, x'0402013c7f000000'), (9, 1, 5, 9, NULL);
INSERT INTO vault_link (node, ordinal, target, syntax, kind) VALUES (2, 0, 'b', 'wiki', 'citation');
PRAGMA user_version = 1;
