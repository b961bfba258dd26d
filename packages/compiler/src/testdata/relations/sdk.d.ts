// Types of the project relations, for createClient<Relations>() of @plinth/sdk.
// Generated from its blueprint: changes here are lost.

export interface Relations {
  entities: {
    album: {
      record: {
        id: string;
        title: string;
        cover_id: string | null;
        tags: string[];
        similar: string[];
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        title: string;
        cover_id?: string | null;
        tags?: string[];
        similar?: string[];
      };
      update: {
        title?: string;
        cover_id?: string | null;
        tags?: string[];
        similar?: string[];
      };
      where: {
        id?: string;
        title?: string;
        cover_id?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "title";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        albums: { to: "album"; many: true; };
        cover: { to: "photo"; many: false; };
        created_by: { to: "user"; many: false; };
        photos: { to: "photo"; many: true; by: "album_id"; };
        similar: { to: "album"; many: true; };
        tags: { to: "tag"; many: true; };
      };
    };
    photo: {
      record: {
        id: string;
        album_id: string;
        visible: boolean;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        album_id: string;
        visible?: boolean;
      };
      update: {
        album_id?: string;
        visible?: boolean;
      };
      where: {
        id?: string;
        album_id?: string;
        visible?: boolean;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: never;
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        album: { to: "album"; many: false; };
        albums: { to: "album"; many: true; by: "cover_id"; };
        comments: { to: "comment"; many: true; by: "photo_id"; };
        created_by: { to: "user"; many: false; };
      };
    };
    comment: {
      record: {
        id: string;
        photo_id: string | null;
        author_id: string;
        text: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        photo_id?: string | null;
        author_id?: string;
        text: string;
      };
      update: {
        photo_id?: string | null;
        author_id?: string;
        text?: string;
      };
      where: {
        id?: string;
        photo_id?: string;
        author_id?: string;
        text?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "text";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        author: { to: "user"; many: false; };
        created_by: { to: "user"; many: false; };
        photo: { to: "photo"; many: false; };
      };
    };
    tag: {
      record: {
        id: string;
        name: string;
        created_by: string | null;
        created_at: string;
        updated_at: string;
        version: number;
      };
      create: {
        name: string;
      };
      update: {
        name?: string;
      };
      where: {
        id?: string;
        name?: string;
        created_by?: string;
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "name";
      numbers: "version";
      times: "created_at" | "updated_at";
      relations: {
        albums: { to: "album"; many: true; };
        created_by: { to: "user"; many: false; };
      };
      keys: { name: string };
    };
  };
  user: {
    id: string;
    email: string;
    name: string | null;
    roles: ("user" | "owner" | "admin")[];
    created_at: string;
    updated_at: string;
    version: number;
  };
  related: {
    user: {
      record: {
        id: string;
        email: string;
        name: string | null;
        roles: ("user" | "owner" | "admin")[];
        created_at: string;
        updated_at: string;
        version: number;
      };
      where: {
        id?: string;
        email?: string;
        name?: string;
        roles?: ("user" | "owner" | "admin")[];
        created_at?: string;
        updated_at?: string;
        version?: number;
      };
      texts: "email" | "name";
      numbers: "version";
      times: "created_at" | "updated_at";
    };
  };
  profile: Record<string, never>;
}
